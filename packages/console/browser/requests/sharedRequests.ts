import type { Catalogue, Client, Usage } from "@tapeline/client"
import type { SendRequest } from "./useRequest.ts"

/** The cache key of the month's usage, which every charged call invalidates. */
export const usageKey = ["usage"] as const

export const readUsage: SendRequest<Client, Usage> = (client, options) => client.usage({}, options)

export const catalogueKey = ["catalogue"] as const

export const readCatalogue: SendRequest<Client, Catalogue> = (client, options) => client.catalogue({}, options)

export const pricesKey = ["prices"] as const

/** Requests the catalogue without the schemas of results, which is a fifth of the whole catalogue. */
export const readPrices: SendRequest<Client, Catalogue> = (client, options) =>
  client.catalogue({ view: "parameters" }, options)
