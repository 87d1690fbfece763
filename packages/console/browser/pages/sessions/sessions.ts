import { useQueryClient } from "@tanstack/react-query"
import { readAllPages } from "../../requests/readAllPages.ts"
import { type Action, type RequestState, useAction, useRequest } from "../../requests/useRequest.ts"
import type { Session } from "./sessionState.ts"

const sessionsKey = ["sessions"] as const

/** Requests all sessions of the account, including sessions that ended within the last month. */
export const useSessions = (): RequestState<{ readonly sessions: ReadonlyArray<Session> }> =>
  useRequest(sessionsKey, async (client, options) => ({
    sessions: await readAllPages(async (cursor) => {
      const { next_cursor, sessions } = await client.account.sessions({ cursor, limit: 1000 }, options)
      return { items: sessions, next: next_cursor }
    })
  }))

/** Returns an action that downloads all data of the account as a file. */
export const useExport = (account: number): Action<void, Uint8Array<ArrayBuffer>> =>
  useAction<void, Uint8Array<ArrayBuffer>>((client) => client.account.exportData({ timeout_ms: 900_000 }), (bytes) => {
    const link = document.createElement("a")
    link.href = URL.createObjectURL(new Blob([bytes], { type: "application/jsonl" }))
    link.download = `tapeline-account-${account}.jsonl`
    link.click()
    URL.revokeObjectURL(link.href)
  })

const useRefreshSessions = (): () => void => {
  const queryClient = useQueryClient()
  return () => void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === sessionsKey[0] })
}

export const useEndSession = (onDone: () => void): Action<number, void> => {
  const refreshSessions = useRefreshSessions()
  return useAction<number, void>((client, id) => client.account.endSession(id).finally(refreshSessions), onDone)
}

interface EndedSessions {
  readonly ended: number
  readonly paused_tasks: number
}

/**
 * Returns an action that ends all sessions except the current session and, with the argument true, pauses the tasks
 * that were created in a session.
 */
export const useEndOtherSessions = (onDone: (ended: EndedSessions) => void): Action<boolean, EndedSessions> => {
  const refreshSessions = useRefreshSessions()
  return useAction<boolean, EndedSessions>(
    (client, pausesTasks) =>
      client.account.endOtherSessions(pausesTasks ? { tasks: "pause" } : {}).finally(refreshSessions),
    onDone
  )
}
