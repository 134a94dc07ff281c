//! Who somebody is and which groups they are in, remembered for a while.
