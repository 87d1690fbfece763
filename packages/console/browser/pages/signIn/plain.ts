import { addressOf } from "../../router/route.ts"

/**
 * Whether browsers keep no session at an address: over plain http they take the cookie that a session stands in from
 * the machine itself alone.
 */
export const keepsNoSession = ({ hostname, protocol }: Pick<Location, "hostname" | "protocol">): boolean =>
  protocol === "http:" && !/^(?:localhost|[a-z0-9.-]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i.test(hostname)

/** Where the service's own machine reaches the console that stands at an address. */
export const ownAddress = ({ port }: Pick<Location, "port">): string =>
  `http://127.0.0.1${port === "" ? "" : `:${port}`}${addressOf("/")}`
