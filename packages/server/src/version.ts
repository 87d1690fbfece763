/** The version of all packages. A test compares the version with `package.json`. */
export const version = "0.1.0"
