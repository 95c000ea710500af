"""The look of the whole application: the current theme, Qt's palette and style sheet, and mixing of token colours."""

from __future__ import annotations

from functools import lru_cache
from string import Template

from PySide6.QtCore import QTemporaryDir
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from app.look import fonts, icons
from app.look.theme import THEMES, Theme, current_theme, make_current

RADIUS = 4
GAP = 4
FIELD_HEIGHT = 24
BUTTON_HEIGHT = 28
TITLE_HEIGHT = 28
GROUP_HEIGHT = 22
ROW_HEIGHT = 30


def apply(application: QApplication, theme: Theme | str) -> None:
    """Give the application a theme: font, palette and style sheet; every widget repaints.

    Args:
        application: The one ``QApplication``.
        theme: A theme or its name.
    """
    wanted = THEMES[theme] if isinstance(theme, str) else theme
    if wanted is current_theme() and application.styleSheet() == stylesheet(wanted):
        return  # all widgets would be polished again for nothing
    make_current(wanted)
    color.cache_clear()
    mix.cache_clear()
    icons.forget()
    if application.styleSheet():
        # One style sheet in place of another has Qt polish each widget anew for itself and for every widget around it,
        # eight times at our depth; none, and then the new one, twice: 0.08 s for 800 widgets in place of 0.33 s.
        application.setStyleSheet("")
    else:
        application.setStyle("Fusion")
    if application.font() != fonts.font():
        application.setFont(fonts.font())
    application.setPalette(palette(current_theme()))
    application.setStyleSheet(stylesheet(current_theme()))


@lru_cache(maxsize=256)
def color(token: str) -> QColor:
    """Return a token of the current theme as a colour; do not change it."""
    return QColor(getattr(current_theme(), token))


@lru_cache(maxsize=256)
def mix(below: str, above: str, amount: float) -> QColor:
    """Return ``above`` laid over ``below`` at an opacity of ``amount``, both tokens of this theme; read only."""
    a, b = color(below), color(above)
    pairs = ((a.redF(), b.redF()), (a.greenF(), b.greenF()), (a.blueF(), b.blueF()))
    return QColor.fromRgbF(*(x + (y - x) * amount for x, y in pairs))


def palette(theme: Theme) -> QPalette:
    """Return Qt's palette for a theme, for everything that the style sheet does not name."""
    made = QPalette()
    roles = {
        QPalette.ColorRole.Window: theme.panel,
        QPalette.ColorRole.WindowText: theme.text,
        QPalette.ColorRole.Base: theme.input,
        QPalette.ColorRole.AlternateBase: theme.panel,
        QPalette.ColorRole.Text: theme.text,
        QPalette.ColorRole.PlaceholderText: theme.text3,
        QPalette.ColorRole.Button: theme.raised,
        QPalette.ColorRole.ButtonText: theme.text,
        QPalette.ColorRole.BrightText: theme.conflict,
        QPalette.ColorRole.ToolTipBase: theme.head,
        QPalette.ColorRole.ToolTipText: theme.text,
        QPalette.ColorRole.Highlight: theme.accent,
        QPalette.ColorRole.HighlightedText: theme.acc_ink,
        QPalette.ColorRole.Accent: theme.accent,
        QPalette.ColorRole.Link: theme.accent,
        QPalette.ColorRole.LinkVisited: theme.accent,
        QPalette.ColorRole.Light: theme.hover,
        QPalette.ColorRole.Midlight: theme.line2,
        QPalette.ColorRole.Mid: theme.line2,
        QPalette.ColorRole.Dark: theme.line,
        QPalette.ColorRole.Shadow: theme.win,
    }
    for role, value in roles.items():
        made.setColor(role, QColor(value))
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, role, QColor(theme.line2 if theme.name == "light" else theme.text3))
    return made


_SHEET = Template(
    """
* { outline: none; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QMainWindow { background: $win; }
QMainWindow::separator { background: $win; width: 4px; height: 4px; }
QMainWindow::separator:hover { background: $acc_line; }
QDialog { background: $panel; }
QSplitter::handle { background: $win; }
QSplitter::handle:horizontal { width: 4px; }
QSplitter::handle:vertical { height: 4px; }
QSplitter::handle:hover { background: $acc_line; }

QMenuBar { background: $panel; color: $text; border-bottom: 1px solid $line; padding: 0 0 0 2px; }
QMenuBar::item { background: transparent; padding: 4px 8px; margin: 2px 3px; border-radius: 4px; }
QMenuBar::item:selected { background: $hover; }
QMenuBar::item:pressed { background: $acc_bg; color: $text; }
QMenuBar::item:disabled { color: $text3; }
QMenu { background: $panel; color: $text; border: 1px solid $line2; padding: 4px; }
QMenu::item { padding: 5px 12px 5px 8px; border-radius: 3px; min-height: 14px; }
QMenu::item:selected { background: $acc_bg; color: $text; }
QMenu::item:disabled { color: $text3; }
QMenu::icon { padding-left: 6px; }
QMenu::separator { height: 1px; background: $line; margin: 4px 8px; }
QMenu::indicator { width: 14px; height: 14px; margin-left: 6px; }
QMenu::indicator:checked { image: url("$check_accent"); }
QMenu::indicator:exclusive:checked { image: url("$dot_accent"); }
QMenu::right-arrow { image: url("$chevron_right"); width: 12px; height: 12px; margin-right: 4px; }

QToolBar { background: $head; border: none; border-bottom: 1px solid $line; padding: 5px 8px; spacing: 2px;
    min-height: 28px; }
QToolBar::separator { background: $line2; width: 1px; margin: 5px 8px; }

QDockWidget { color: $text; titlebar-close-icon: url("$close"); titlebar-normal-icon: url("$cube"); }
QDockWidget::title { background: $head; padding: 7px 12px; font-weight: 600; }
QDockWidget > QWidget { background: $panel; }
QTabBar { background: transparent; qproperty-drawBase: 0; }
QTabBar::tab { background: transparent; color: $text3; padding: 6px 4px 5px 4px; margin: 0 8px; border: none;
    border-bottom: 2px solid transparent; font-weight: 500; }
QTabBar::tab:selected { color: $text; border-bottom: 2px solid $accent; }
QTabBar::tab:hover:!selected { color: $text2; }
QTabBar::tab:focus { color: $accent; }
QTabWidget::pane { border: none; background: $panel; }

QLabel { background: transparent; color: $text; }
QLabel[quiet="true"] { color: $text2; }
QLabel[hint="true"] { color: $text3; }
QLabel[warning="true"] { color: $warn; }
QGroupBox { border: 1px solid $line; border-radius: 4px; margin-top: 18px; padding: 8px; }
QGroupBox::title { subcontrol-origin: margin; left: 0; color: $text; font-weight: 600; }

QPushButton { background: $raised; color: $text; border: 1px solid $button_line; border-radius: 4px;
    padding: 0 12px; min-height: 26px; font-weight: 500; }
QPushButton:hover { background: $hover; }
QPushButton:pressed { background: $line2; }
QPushButton:focus { border: 2px solid $accent; padding: 0 11px; min-height: 24px; }
QPushButton:checked { background: $acc_bg; border: 1px solid $acc_line; color: $accent; }
QPushButton:default, QPushButton[primary="true"] { background: $accent; color: $acc_ink; border: none;
    padding: 0 13px; min-height: 28px; }
QPushButton:default:hover, QPushButton[primary="true"]:hover { background: $accent_hover; }
QPushButton:default:focus, QPushButton[primary="true"]:focus { border: 2px solid $text; padding: 0 11px;
    min-height: 24px; }
QPushButton:disabled { background: $panel; color: $text3; border: 1px solid $line; }
QToolButton { background: transparent; color: $text2; border: 1px solid transparent; border-radius: 4px; padding: 2px; }
QToolButton:hover { background: $hover; }
QToolButton:checked { background: $acc_bg; border-color: $acc_line; color: $accent; }
QToolButton:focus { border-color: $accent; }
QToolButton::menu-indicator { image: none; }

QLineEdit, QPlainTextEdit, QTextEdit, QAbstractSpinBox, QComboBox, QKeySequenceEdit {
    background: $input; color: $text; border: 1px solid $field_line; border-radius: 4px;
    selection-background-color: $accent; selection-color: $acc_ink; }
QLineEdit, QAbstractSpinBox, QComboBox { min-height: 22px; max-height: 22px; padding: 0 6px; }
QLineEdit[low="true"] { min-height: 16px; max-height: 16px; padding: 0 4px; border-radius: 3px; }
QLineEdit:hover, QAbstractSpinBox:hover, QComboBox:hover { border-color: $text3; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QAbstractSpinBox:focus,
    QComboBox:focus { border: 1px solid $accent; }
QLineEdit:disabled, QAbstractSpinBox:disabled, QComboBox:disabled { color: $text3; background: $panel; }
QLineEdit[bad="true"] { border: 1px solid $warn; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox::down-arrow { image: url("$chevron_down"); width: 12px; height: 12px; margin-right: 6px; }
QComboBox::drop-down:editable { border-left: 1px solid $field_line; }
QComboBox QAbstractItemView { background: $panel; color: $text; border: 1px solid $line2; padding: 4px;
    selection-background-color: $acc_bg; selection-color: $text; outline: none; }
QSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::up-button, QDoubleSpinBox::down-button { width: 0;
    border: none; }

QCheckBox, QRadioButton { color: $text; spacing: 8px; background: transparent; min-height: 24px; }
QCheckBox:disabled, QRadioButton:disabled { color: $text3; }
QCheckBox::indicator { width: 14px; height: 14px; border: 1px solid $text3; border-radius: 3px; background: $input; }
QCheckBox::indicator:checked { background: $accent; border-color: $accent; image: url("$check_ink"); }
QCheckBox::indicator:hover, QCheckBox::indicator:focus { border-color: $accent; }
QRadioButton::indicator { width: 12px; height: 12px; border: 1px solid $text3; border-radius: 7px; background: $input; }
QRadioButton::indicator:checked { border-color: $accent; image: url("$dot_accent"); }
QRadioButton::indicator:hover, QRadioButton::indicator:focus { border-color: $accent; }

QAbstractScrollArea { background: $panel; border: none; }
QAbstractItemView { background: $panel; color: $text; alternate-background-color: $panel; border: none; outline: none; }
QAbstractItemView::item { min-height: 24px; padding: 0 4px; border-radius: 3px; }
QTreeView::item { border-radius: 0; }
QAbstractItemView::item:disabled { color: $text3; }
QAbstractItemView::item:hover { background: $hover; }
QAbstractItemView::item:selected { background: $acc_bg; color: $text; }
QAbstractItemView::item:focus { border: 1px solid $accent; }
QHeaderView::section { background: $head; color: $text2; border: none; border-bottom: 1px solid $line;
    padding: 4px 8px; }
QTreeView::branch { background: transparent; }
QTreeView::branch:selected { background: $acc_bg; }
QTreeView::branch:has-children:closed { image: url("$chevron_right"); }
QTreeView::branch:has-children:open { image: url("$chevron_down"); }

QScrollBar { background: transparent; border: none; }
QScrollBar:vertical { width: 8px; margin: 0; }
QScrollBar:horizontal { height: 8px; margin: 0; }
QScrollBar::handle { background: $line2; border-radius: 2px; margin: 2px; }
QScrollBar::handle:hover { background: $text3; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QSlider::groove:horizontal { height: 4px; background: $line2; border-radius: 2px; }
QSlider::sub-page:horizontal { background: $accent; border-radius: 2px; }
QSlider::handle:horizontal { background: $text; width: 10px; height: 10px; margin: -3px 0; border-radius: 5px; }
QProgressBar { background: $line; border: none; border-radius: 2px; text-align: center; color: $text; min-height: 4px; }
QProgressBar::chunk { background: $accent; border-radius: 2px; }
QProgressBar[line="true"] { background: $head; border-radius: 0; min-height: 2px; }
QProgressBar[line="true"]::chunk { border-radius: 0; }
QToolTip { background: $head; color: $text; border: 1px solid $line2; padding: 1px 2px; }
QFrame#popup { background: $line2; border: none; }
"""
)

_folders: list[QTemporaryDir] = []


def _image(name: str, value: str) -> str:
    """Return the path of an icon file in a colour; style sheets can only take pictures from files."""
    if not _folders:
        _folders.append(QTemporaryDir())
    path = _folders[0].filePath(f"{name}-{value[1:]}.svg")
    with open(path, "w", encoding="utf-8") as file:
        file.write(icons.svg(name, value))
    return path.replace("\\", "/")


def stylesheet(theme: Theme) -> str:
    """Return the style sheet of a theme for all of Qt's own widgets.

    The widgets of ``app.widgets`` paint themselves from the same tokens and take nothing from here.
    """
    light = theme.name == "light"
    tokens = {name: value for name, value in vars(theme).items() if name != "name"}
    return _SHEET.substitute(
        tokens,
        button_line=theme.line if light else theme.raised,
        field_line=theme.line,
        accent_hover=QColor(theme.accent).lighter(108 if not light else 120).name(),
        check_accent=_image("check", theme.accent),
        check_ink=_image("check", theme.acc_ink),
        dot_accent=_image("dot", theme.accent),
        chevron_down=_image("chevron-down", theme.text2),
        chevron_right=_image("chevron-right", theme.text2),
        close=_image("close", theme.text2),
        cube=_image("cube", theme.text2),
    )
