/** The first page after signing in. */
export const homePath = "/tools"
