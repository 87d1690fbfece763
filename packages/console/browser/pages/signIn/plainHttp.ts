import { toAddress } from "../../router/route.ts"

/**
 * Returns whether a browser drops the session cookie of a URL. Browsers drop the cookie over plain HTTP unless the host
 * is the local machine.
 */
export const dropsSessionCookie = ({ hostname, protocol }: Pick<Location, "hostname" | "protocol">): boolean =>
  protocol === "http:" && !/^(?:localhost|[a-z0-9.-]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i.test(hostname)

/** Returns the URL of the console for a browser on the service's own machine. */
export const localAddress = ({ port }: Pick<Location, "port">): string =>
  `http://127.0.0.1${port === "" ? "" : `:${port}`}${toAddress("/")}`
