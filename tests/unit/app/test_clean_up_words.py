"""What a clean-up says that it has found."""

from __future__ import annotations

from app.words.clean_up_words import noise_text
from core.animation.cleaning.clean import Found
from core.animation.cleaning.residuals import Residual


def found(*residuals: Residual) -> Found:
    return Found((), (), residuals, None, {}, None)


def test_noise_is_told_in_degrees_and_that_of_the_root_alone_in_millimetres():
    still, arm, root = Residual("head", None, 0.0), Residual("right forearm", 6.0, 0.01), Residual("", 4.5, 0.0013)
    assert noise_text(found(still)) == "No noise to speak of: nothing needs to be filtered"
    suggests = "residual analysis suggests cutoffs of"
    assert noise_text(found(still, root)) == f"Noise of up to 1.3 mm in 1 part; {suggests} 4 Hz"
    assert noise_text(found(root, arm)) == f"Noise of up to 0.57° in 2 parts; {suggests} 4 to 6 Hz"
