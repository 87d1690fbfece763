/** The path of the page that opens after sign-in. */
export const homePath = "/tools"
