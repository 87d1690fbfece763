import { QueryClient } from "@tanstack/react-query"

/**
 * Creates the cache of responses that all pages share, without results of mutations, because a result may be a newly
 * issued key.
 */
export const makeQueryClient = (): QueryClient =>
  new QueryClient({
    // The client already retries where a retry can help.
    defaultOptions: { queries: { retry: false, refetchOnWindowFocus: true }, mutations: { gcTime: 0 } }
  })
