/** The version of all packages, which a test compares with `package.json`. */
export const version = "0.1.0"
