import { useQuery, useQueryClient } from "@tanstack/react-query"
import { isClientError, type ToolAnswer } from "@tapeline/client"
import { useEffect, useState } from "react"
import { useAccess } from "../access/Access.tsx"
import { usePrices } from "./catalogue.ts"
import { requestTimeoutMs } from "./makeClient.ts"
import { type Problem, toProblem } from "./problem.ts"
import { readUsage, usageKey } from "./sharedRequests.ts"
import { queryKeyOf, type ToolQuery } from "./toolQuery.ts"
import { type RequestState, useRequest } from "./useRequest.ts"

const cacheTimeMs = 1_800_000

export type ToolQueryState<A> = RequestState<A> & {
  /** The time of the displayed response, in ms since 1970; 0 without a response. */
  readonly loadedAt: number
  /** Whether the call failed because the service does not know the requested instrument. */
  readonly isUnknownSymbol: boolean
  /** The instruments that an ambiguous name may mean. */
  readonly candidates: ReadonlyArray<{ readonly symbol: string; readonly name: string }>
}

interface ToolQueryOptions {
  readonly isDisabled?: boolean | undefined
  /** The interval at which a tool call is repeated while the page is visible, in ms, until an error occurs. */
  readonly refreshMs?: number | undefined
}

const outOfCreditsProblem: Problem = {
  kind: "out of credits",
  message: undefined,
  requestId: undefined,
  isRetryable: true
}
const offlineProblem: Problem = { kind: "offline", message: undefined, requestId: undefined, isRetryable: true }

export const useCreditsLeft = (): number | undefined => {
  const usage = useRequest(usageKey, readUsage, { refreshMs: 60_000 })
  return usage.state === "loaded" ? usage.data.credits.left : undefined
}

/**
 * Calls a tool when a section of the page opens without fresh data, or when `refresh` is called. A running tool call is
 * not cancelled, because the service already charges the call. If the remaining credits do not cover the price of a
 * tool call, no call is sent.
 */
export const useToolQuery = <A>(
  query: ToolQuery<A>,
  { refreshMs, isDisabled = false }: ToolQueryOptions = {}
): ToolQueryState<A> => {
  const { client, earlyResponses, endIfSignedOut, identity } = useAccess()
  const queryClient = useQueryClient()
  const price = usePrices().get(query.tool) ?? 0
  const creditsLeft = useCreditsLeft()
  const isOutOfCredits = creditsLeft !== undefined && creditsLeft < price
  const { data, dataUpdatedAt, error, fetchStatus, isFetching, refetch } = useQuery({
    queryKey: [identity, ...queryKeyOf(query)],
    queryFn: async () => {
      try {
        const early = earlyResponses.take<ToolAnswer<string, A>>(queryKeyOf(query))
        return (await (early ?? query.run(client, { timeout_ms: requestTimeoutMs }))).data
      } catch (error) {
        endIfSignedOut(error)
        throw error
      } finally {
        void queryClient.invalidateQueries({ queryKey: [identity, ...usageKey] })
      }
    },
    enabled: !isDisabled && !isOutOfCredits,
    staleTime: query.freshMs,
    gcTime: Math.max(cacheTimeMs, query.freshMs),
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    refetchInterval: ({ state }) => isOutOfCredits || state.error !== null ? false : refreshMs ?? false,
    // A failed call is repeated only when the user requests a retry.
    retryOnMount: false
  })
  const refresh = () => void refetch()
  const problem = isOutOfCredits && !isDisabled && !isFetching && (data === undefined || refreshMs !== undefined)
    ? outOfCreditsProblem
    : error !== null
    ? toProblem(error)
    : fetchStatus === "paused"
    ? offlineProblem
    : undefined
  const failedCall = isClientError(error) && error._tag === "CallFailed" ? error : undefined
  const more = {
    loadedAt: dataUpdatedAt,
    isUnknownSymbol: failedCall?.code === "unknown_symbol",
    candidates: failedCall?.candidates ?? []
  }
  if (data !== undefined) return { state: "loaded", data, isFetching, problem, refresh, ...more }
  return problem === undefined ? { state: "waiting", ...more } : { state: "failed", problem, refresh, ...more }
}

/**
 * Returns a function that tests whether the cache contains a fresh result of a tool call. The page can show a cached
 * result for free.
 */
export const useIsCached = (): (query: ToolQuery) => boolean => {
  const { identity } = useAccess()
  const queryClient = useQueryClient()
  const [, rerender] = useState(0)
  useEffect(() => {
    const isToolQuery = (key: ReadonlyArray<unknown>) => key[1] === "tool"
    const unsubscribe = queryClient.getQueryCache().subscribe(({ query: cached, type }) => {
      if (type === "updated" && isToolQuery(cached.queryKey)) queueMicrotask(() => rerender((n) => n + 1))
    })
    const timer = setInterval(() => rerender((n) => n + 1), 15_000)
    return () => {
      unsubscribe()
      clearInterval(timer)
    }
  }, [queryClient])
  return (query) => {
    const state = queryClient.getQueryState([identity, ...queryKeyOf(query)])
    return state?.data !== undefined && !state.isInvalidated && Date.now() - state.dataUpdatedAt < query.freshMs
  }
}
