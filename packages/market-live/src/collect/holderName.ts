import { hostname } from "node:os"

/**
 * Names this process among all that share the store, and no other, not even itself before a restart: by its host and
 * its number, so that whoever reads it knows whom to ask.
 */
export const holderName = (): string => `${hostname().slice(0, 64)} ${process.pid}-${crypto.randomUUID()}`
