import { QueryClient } from "@tanstack/react-query"

/** The cache of responses, which pages share. Results of mutations are not kept: one may be an issued key. */
export const makeQueryClient = (): QueryClient =>
  new QueryClient({
    // The client retries automatically where a retry can help.
    defaultOptions: { queries: { retry: false, refetchOnWindowFocus: true }, mutations: { gcTime: 0 } }
  })
