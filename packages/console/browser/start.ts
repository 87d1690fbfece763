import type { Language } from "@tapeline/core/specifications"
import type { InitialAccess } from "./access/Access.tsx"
import { isAdminPath } from "./access/adminPath.ts"
import { detectAccess } from "./access/detectAccess.ts"
import { earlyQueries } from "./pages/earlyQueries.ts"
import { EarlyResponses } from "./requests/EarlyResponses.ts"
import { makeClient, requestTimeoutMs } from "./requests/makeClient.ts"
import { catalogueKey, pricesKey, readCatalogue, readPrices, readUsage, usageKey } from "./requests/sharedRequests.ts"
import { queryKeyOf } from "./requests/toolQuery.ts"
import { toPath } from "./router/route.ts"

const isToolPath = (path: string): boolean => path === "/" || path === "/tools" || path.startsWith("/tools/")

/** Sends the requests of the page at a path, with the client of the signed-in account. */
const sendEarlyRequests = (language: Language, account: number, path: string, query: URLSearchParams) => {
  const client = makeClient(undefined, language, account)
  const responses = new EarlyResponses()
  const options = { signal: new AbortController().signal, timeout_ms: requestTimeoutMs }
  responses.add(pricesKey, readPrices(client, options))
  if (isToolPath(path)) responses.add(catalogueKey, readCatalogue(client, options))
  responses.add(usageKey, readUsage(client, options))
  for (const toolQuery of earlyQueries(path, query)) {
    responses.add(queryKeyOf(toolQuery), toolQuery.run(client, { timeout_ms: requestTimeoutMs }))
  }
  return responses
}

/**
 * Detects the signed-in account and sends the first requests of the page, while the browser loads the scripts of the
 * components. Returns undefined for the admin area, which needs no account.
 */
export const startPage = async (
  language: Language,
  { pathname, search }: Pick<Location, "pathname" | "search">,
  isSessionLikely: boolean
): Promise<InitialAccess | undefined> => {
  const path = toPath(pathname)
  if (isAdminPath(path)) return undefined
  const state = await detectAccess(language, isSessionLikely)
  const earlyResponses = state.kind === "session"
    ? sendEarlyRequests(language, state.account.id, path, new URLSearchParams(search))
    : new EarlyResponses()
  return { state, earlyResponses }
}
