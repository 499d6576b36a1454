"""What pipes over files need."""
