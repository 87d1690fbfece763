import { QueryClient } from "@tanstack/react-query"

/**
 * Creates the cache of responses that all pages share. The cache does not keep results of mutations, because a result
 * may contain a newly issued API key.
 */
export const makeQueryClient = (): QueryClient =>
  new QueryClient({
    // React Query does not retry, because the client itself retries where a retry can help.
    defaultOptions: { queries: { retry: false, refetchOnWindowFocus: true }, mutations: { gcTime: 0 } }
  })
