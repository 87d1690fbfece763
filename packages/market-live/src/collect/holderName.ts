import { hostname } from "node:os"

/**
 * Returns a name for this process that is unique among all that share the store, also across restarts. It contains the
 * host and process id, so that an operator can find the process.
 */
export const holderName = (): string => `${hostname().slice(0, 64)} ${process.pid}-${crypto.randomUUID()}`
