import type { Key, SignedIn } from "@tapeline/client"
import { KeyRound, Plus } from "lucide-react"
import { useMemo, useState } from "react"
import { RequireSession } from "../../access/RequireSession.tsx"
import { useNow } from "../../i18n/clock.ts"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { Button } from "../../widgets/Button.tsx"
import { Callout } from "../../widgets/Callout.tsx"
import { PageHeader, Panel } from "../../widgets/layout.tsx"
import { type LiveOrPast, LiveOrPastBar } from "../../widgets/LiveOrPast.tsx"
import { RequestView } from "../../widgets/RequestView.tsx"
import { EmptyState, Skeleton } from "../../widgets/states.tsx"
import { IssueDialog } from "./IssueDialog.tsx"
import { ChangeKeyDialog, RevokeKeyDialog } from "./keyDialogs.tsx"
import { useKeys } from "./keys.ts"
import { KeysTable } from "./KeysTable.tsx"
import { splitByState } from "./keyState.ts"
import { RotateKeyDialog } from "./RotateKeyDialog.tsx"
import { keysTexts } from "./texts.ts"

type OpenDialog = { readonly kind: "change" | "rotate" | "revoke"; readonly key: Key }

const KeyLimitReached = ({ maxKeys }: { readonly maxKeys: number }) => {
  const texts = useTexts(keysTexts)
  return <Callout variant="tape" title={texts.limitReached(maxKeys)}>{texts.limitReachedDetail}</Callout>
}

/**
 * The lists of active and inactive keys. The button for a new key is always enabled, because only the service's clock
 * decides which keys have expired.
 */
const Keys = ({ account, issue, keys }: {
  readonly keys: ReadonlyArray<Key>
  readonly account: SignedIn
  readonly issue: () => void
}) => {
  const texts = useTexts(keysTexts)
  const { integer } = useNumbers()
  const [dialog, setDialog] = useState<OpenDialog>()
  const [shownState, setShownState] = useState<LiveOrPast>("live")
  const now = useNow()
  const { live, past } = splitByState(keys, now)
  const actions = useMemo(() => ({
    change: (key: Key) => setDialog({ kind: "change", key }),
    rotate: (key: Key) => setDialog({ kind: "rotate", key }),
    revoke: (key: Key) => setDialog({ kind: "revoke", key })
  }), [])
  const maxKeys = account.plan.keys
  // A key and its successor count as one key.
  const usedKeys = new Set(live.map(({ first_key }) => first_key)).size
  const closeDialog = () => setDialog(undefined)
  return (
    <>
      {usedKeys >= maxKeys && <KeyLimitReached maxKeys={maxKeys} />}
      <LiveOrPastBar
        label={texts.which}
        selected={shownState}
        onChange={setShownState}
        live={{ name: texts.live, count: live.length }}
        past={{ name: texts.past, count: past.length }}
      >
        <span className="soft">{texts.inUse(integer(usedKeys), integer(maxKeys))}</span>
      </LiveOrPastBar>
      <Panel isFlush>
        {shownState === "live"
          ? live.length === 0
            ? (
              <EmptyState icon={KeyRound} title={texts.none} action={<Button onPress={issue}>{texts.issue}</Button>}>
                {texts.noneDetail}
              </EmptyState>
            )
            : <KeysTable label={texts.live} keys={live} now={now} actions={actions} />
          : past.length === 0
          ? <EmptyState icon={KeyRound} title={texts.nonePast}>{texts.nonePastDetail}</EmptyState>
          : <KeysTable label={texts.past} keys={past} now={now} />}
      </Panel>
      {dialog?.kind === "change" && <ChangeKeyDialog key={dialog.key.id} apiKey={dialog.key} onClose={closeDialog} />}
      {dialog?.kind === "rotate" && <RotateKeyDialog key={dialog.key.id} apiKey={dialog.key} onClose={closeDialog} />}
      {dialog?.kind === "revoke" && <RevokeKeyDialog key={dialog.key.id} apiKey={dialog.key} onClose={closeDialog} />}
    </>
  )
}

const AccountKeys = ({ account }: { readonly account: SignedIn }) => {
  const texts = useTexts(keysTexts)
  const keys = useKeys()
  const [isIssuing, setIsIssuing] = useState(false)
  const issue = () => setIsIssuing(true)
  return (
    <>
      <PageHeader
        title={texts.title}
        aside={
          <Button variant="primary" onPress={issue}>
            <Plus aria-hidden />
            {texts.issue}
          </Button>
        }
      >
        {texts.lead}
      </PageHeader>
      <RequestView request={keys} placeholder={<Skeleton lines={6} />}>
        {({ keys }) => <Keys keys={keys} account={account} issue={issue} />}
      </RequestView>
      <IssueDialog isOpen={isIssuing} onClose={() => setIsIssuing(false)} />
    </>
  )
}

export const KeysPage = () => {
  const texts = useTexts(keysTexts)
  return (
    <RequireSession title={texts.title} lead={texts.lead}>
      {(account) => <AccountKeys account={account} />}
    </RequireSession>
  )
}
