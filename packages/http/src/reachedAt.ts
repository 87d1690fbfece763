/**
 * Where this service is reached: as it was told, or as its caller reached it. Who stands behind a proxy that speaks TLS
 * has to tell it.
 */
export const reachedAt = (publicUrl: string | undefined): (host: string | undefined) => string => {
  const told = publicUrl?.replace(/\/+$/, "")
  return (host) => told ?? (host === undefined ? "" : `http://${host}`)
}
