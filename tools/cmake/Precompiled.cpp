// Carries the precompiled header that all libraries and tools reuse.
