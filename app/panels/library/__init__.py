"""The library panel: sequences as icons that flip through their key poses."""
