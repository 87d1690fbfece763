/** The version of all packages, which a test compares with `package.json`. */
export const version = "0.2.0"
