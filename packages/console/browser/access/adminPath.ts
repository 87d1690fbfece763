/** The path of the admin area. */
export const adminPath = "/admin"

export const isAdminPath = (path: string): boolean => path === adminPath || path.startsWith(`${adminPath}/`)
