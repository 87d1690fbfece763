import type { Catalogue } from "@tapeline/client"
import { type Asked, useAsk } from "./useAsk.ts"

/** The tools that can be called. They change only with the service's version and the key's scopes. */
export const useCatalogue = (): Asked<Catalogue> =>
  useAsk(["catalogue"], (client, options) => client.catalogue({}, options), { freshMs: 600_000 })
