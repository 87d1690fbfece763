import { QueryClient } from "@tanstack/react-query"

/** What the service told, for the pages to share. What came of a press is its own alone: it may be an issued key. */
export const makeKept = (): QueryClient =>
  new QueryClient({
    // The client tries again by itself, as far as that can help.
    defaultOptions: { queries: { retry: false, refetchOnWindowFocus: true }, mutations: { gcTime: 0 } }
  })
