/** Whether a caller accepts an encoding: the header names it, and its quality is not 0 (RFC 9110, 12.5.3). */
export const takesEncoding = (name: "br" | "gzip", acceptEncoding: string | undefined): boolean =>
  acceptEncoding !== undefined &&
  new RegExp(`(^|,)\\s*${name}\\s*(,|$|;\\s*q=(?!0(\\.0*)?\\s*(,|$)))`, "i").test(acceptEncoding)
