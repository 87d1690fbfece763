import type { Client, ConversationView } from "@tapeline/client"
import { useCallback, useState } from "react"
import { useAccess } from "../../access/Access.tsx"
import { patienceMs } from "../../asking/service.ts"
import { type Trouble, troubleOf } from "../../asking/trouble.ts"
import { type History, withNewest, withOlder } from "./history.ts"
import { pageLength } from "./useDesk.ts"

interface Known {
  readonly view: ConversationView
  readonly history: History
}

/** The messages of a conversation, beginning with the newest. `readOlder` loads earlier ones. */
export const useHistory = (view: ConversationView) => {
  const { client } = useAccess()
  const [known, setKnown] = useState<Known>(() => ({ view, history: withNewest(undefined, view) }))
  const [isReading, setIsReading] = useState(false)
  const [trouble, setTrouble] = useState<Trouble>()
  const current = known.view === view ? known : { view, history: withNewest(known.history, view) }
  if (current !== known) setKnown(current)
  const { older } = current.history
  const { id } = view
  const readOlder = useCallback(() => {
    if (older === null) return
    setIsReading(true)
    setTrouble(undefined)
    pageBefore(client, id, older).then(
      (page) => setKnown((before) => ({ ...before, history: withOlder(before.history, page) })),
      (error: unknown) => setTrouble(troubleOf(error))
    ).finally(() => setIsReading(false))
  }, [client, id, older])
  return { history: current.history, isReading, trouble, readOlder }
}

const pageBefore = (client: Client, id: number, cursor: string): Promise<ConversationView> =>
  client.conversations.read(id, { order: "newest", limit: pageLength, cursor }, { timeout_ms: patienceMs })
