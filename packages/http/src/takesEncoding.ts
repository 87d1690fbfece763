/** Whether a caller takes an encoding, by its name: it says so, and not that it takes none of it (RFC 9110, 12.5.3). */
export const takesEncoding = (name: "br" | "gzip", acceptEncoding: string | undefined): boolean =>
  acceptEncoding !== undefined &&
  new RegExp(`(^|,)\\s*${name}\\s*(,|$|;\\s*q=(?!0(\\.0*)?\\s*(,|$)))`, "i").test(acceptEncoding)
