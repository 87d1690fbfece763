import { useQueryClient } from "@tanstack/react-query"
import { type Asked, type Doing, useAsk, useDo } from "../../asking/useAsk.ts"
import { wholeList } from "../../asking/wholeList.ts"
import type { Session } from "./list.ts"

const sessionsKey = ["sessions"] as const

/** All sessions of the account, including those that ended within a month. */
export const useSessions = (): Asked<{ readonly sessions: ReadonlyArray<Session> }> =>
  useAsk(sessionsKey, async (client, options) => ({
    sessions: await wholeList(async (cursor) => {
      const { next_cursor, sessions } = await client.account.sessions({ cursor, limit: 1000 }, options)
      return { items: sessions, next: next_cursor }
    })
  }))

const useListAnew = (): () => void => {
  const kept = useQueryClient()
  return () => void kept.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === sessionsKey[0] })
}

export const useEnd = (done: () => void): Doing<number, void> => {
  const anew = useListAnew()
  return useDo<number, void>((client, id) => client.account.endSession(id).finally(anew), done)
}

interface Ended {
  readonly ended: number
  readonly paused_tasks: number
}

/** Ends all sessions but the current one, and pauses the user's tasks if the argument is true. */
export const useEndOthers = (done: (ended: Ended) => void): Doing<boolean, Ended> => {
  const anew = useListAnew()
  return useDo<boolean, Ended>(
    (client, pauses) => client.account.endOtherSessions(pauses ? { tasks: "pause" } : {}).finally(anew),
    done
  )
}
