import type { Client, ConversationView } from "@tapeline/client"
import { useCallback, useState } from "react"
import { useAccess } from "../../access/Access.tsx"
import { requestTimeoutMs } from "../../requests/makeClient.ts"
import { type Problem, toProblem } from "../../requests/problem.ts"
import { type History, withNewest, withOlder } from "./history.ts"
import { pageLength } from "./useAnswerStreams.ts"

interface LoadedHistory {
  readonly view: ConversationView
  readonly history: History
}

/**
 * Returns the loaded messages of a conversation, beginning with the newest page, and a function that loads older
 * messages.
 */
export const useHistory = (view: ConversationView) => {
  const { client } = useAccess()
  const [loaded, setLoaded] = useState<LoadedHistory>(() => ({ view, history: withNewest(undefined, view) }))
  const [isLoading, setIsLoading] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  const current = loaded.view === view ? loaded : { view, history: withNewest(loaded.history, view) }
  if (current !== loaded) setLoaded(current)
  const { older } = current.history
  const { id } = view
  const loadOlder = useCallback(() => {
    if (older === null) return
    setIsLoading(true)
    setProblem(undefined)
    readOlderPage(client, id, older).then(
      (page) => setLoaded((before) => ({ ...before, history: withOlder(before.history, page) })),
      (error: unknown) => setProblem(toProblem(error))
    ).finally(() => setIsLoading(false))
  }, [client, id, older])
  return { history: current.history, isLoading, problem, loadOlder }
}

const readOlderPage = (client: Client, id: number, cursor: string): Promise<ConversationView> =>
  client.conversations.read(id, { order: "newest", limit: pageLength, cursor }, { timeout_ms: requestTimeoutMs })
