"""What the window shares and no file keeps."""
