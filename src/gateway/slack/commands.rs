//! What people order: /onboard, the shortcut, the buttons of Home.
