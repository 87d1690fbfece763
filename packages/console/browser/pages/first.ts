/** Where whoever signs in begins. */
export const firstPath = "/tools"
