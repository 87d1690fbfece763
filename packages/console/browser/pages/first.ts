/** The first page after signing in. */
export const firstPath = "/tools"
