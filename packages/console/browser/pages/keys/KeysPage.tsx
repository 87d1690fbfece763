import type { Key, SignedIn } from "@tapeline/client"
import { KeyRound, Plus } from "lucide-react"
import { useMemo, useState } from "react"
import { BySession } from "../../access/BySession.tsx"
import { Button } from "../../widgets/Button.tsx"
import { Callout } from "../../widgets/Callout.tsx"
import lists from "../../widgets/lists.module.css"
import { type LiveOrPast, LiveOrPastBar } from "../../widgets/LiveOrPast.tsx"
import { PageHead, Panel } from "../../widgets/parts.tsx"
import { Empty, Skeleton } from "../../widgets/states.tsx"
import { Told } from "../../widgets/Told.tsx"
import { useNumbers } from "../../words/numbers.ts"
import { useNow } from "../../words/useNow.ts"
import { useWords } from "../../words/words.ts"
import { IssueDialog } from "./IssueDialog.tsx"
import { ChangeDialog, RevokeDialog } from "./keyDialogs.tsx"
import { useKeys } from "./keys.ts"
import { KeysTable } from "./KeysTable.tsx"
import { parted } from "./keyState.ts"
import { keysWords } from "./words.ts"

/** The open dialog, and its key. */
type Act = { readonly what: "change" | "revoke"; readonly key: Key }

const Full = ({ most }: { readonly most: number }) => {
  const says = useWords(keysWords)
  return <Callout look="tape" title={says.full(most)}>{says.fullMore}</Callout>
}

/** The keys. The service decides whether another key can be issued, because its clock decides which have expired. */
const Keys = ({ account, issue, keys }: {
  readonly keys: ReadonlyArray<Key>
  readonly account: SignedIn
  readonly issue: () => void
}) => {
  const says = useWords(keysWords)
  const { whole } = useNumbers()
  const [act, setAct] = useState<Act>()
  const [which, setWhich] = useState<LiveOrPast>("live")
  const now = useNow()
  const { live, past } = parted(keys, now)
  const acting = useMemo(() => ({
    change: (key: Key) => setAct({ what: "change", key }),
    revoke: (key: Key) => setAct({ what: "revoke", key })
  }), [])
  const most = account.plan.keys
  const forget = () => setAct(undefined)
  return (
    <>
      {live.length >= most && <Full most={most} />}
      <LiveOrPastBar
        label={says.which}
        chosen={which}
        onChange={setWhich}
        live={{ name: says.live, count: live.length }}
        past={{ name: says.past, count: past.length }}
      >
        <span className={lists["soft"]}>{says.inUse(whole(live.length), whole(most))}</span>
      </LiveOrPastBar>
      <Panel isFlush>
        {which === "live"
          ? live.length === 0
            ? (
              <Empty icon={KeyRound} title={says.none} action={<Button onPress={issue}>{says.issue}</Button>}>
                {says.noneMore}
              </Empty>
            )
            : <KeysTable label={says.live} keys={live} now={now} acting={acting} />
          : past.length === 0
          ? <Empty icon={KeyRound} title={says.nonePast}>{says.nonePastMore}</Empty>
          : <KeysTable label={says.past} keys={past} now={now} />}
      </Panel>
      {act?.what === "change" && <ChangeDialog key={act.key.id} of={act.key} onClose={forget} />}
      {act?.what === "revoke" && <RevokeDialog key={act.key.id} of={act.key} onClose={forget} />}
    </>
  )
}

const AccountKeys = ({ account }: { readonly account: SignedIn }) => {
  const says = useWords(keysWords)
  const keys = useKeys()
  const [isIssuing, setIsIssuing] = useState(false)
  const issue = () => setIsIssuing(true)
  return (
    <>
      <PageHead
        title={says.title}
        aside={
          <Button look="primary" onPress={issue}>
            <Plus aria-hidden />
            {says.issue}
          </Button>
        }
      >
        {says.lead}
      </PageHead>
      <Told of={keys} waiting={<Skeleton lines={6} />}>
        {({ keys }) => <Keys keys={keys} account={account} issue={issue} />}
      </Told>
      <IssueDialog isOpen={isIssuing} onClose={() => setIsIssuing(false)} />
    </>
  )
}

/** The page of the account's keys: scopes and last use; issue, change and revoke. */
export const KeysPage = () => <BySession>{(account) => <AccountKeys account={account} />}</BySession>
