package tools

const horizonNote = "Rise and set are for the upper limb at a sea-level horizon with 34' of refraction; real air and terrain can shift them by minutes."
