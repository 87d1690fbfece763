import type { SignedIn } from "@tapeline/client"
import { LogOut, ShieldAlert } from "lucide-react"
import { useState } from "react"
import { useAccess } from "../../access/Access.tsx"
import { RequireSession } from "../../access/RequireSession.tsx"
import { useNow } from "../../i18n/clock.ts"
import { useTexts } from "../../i18n/texts.ts"
import { Button } from "../../widgets/Button.tsx"
import { Callout } from "../../widgets/Callout.tsx"
import { Toggle } from "../../widgets/fields.tsx"
import { ConfirmDialog } from "../../widgets/forms.tsx"
import { PageHeader, Panel } from "../../widgets/layout.tsx"
import { type LiveOrPast, LiveOrPastBar } from "../../widgets/LiveOrPast.tsx"
import { RequestView } from "../../widgets/RequestView.tsx"
import { EmptyState, ProblemNote, Skeleton } from "../../widgets/states.tsx"
import { showToast } from "../../widgets/toasts.tsx"
import { AccountPanel } from "./AccountPanel.tsx"
import { useEndOtherSessions, useEndSession, useSessions } from "./sessions.ts"
import { type Session, splitByState } from "./sessionState.ts"
import { LiveSessions, PastSessions } from "./sessionTables.tsx"
import { sessionsTexts } from "./texts.ts"

const EndOthersButton = ({ count }: { readonly count: number }) => {
  const texts = useTexts(sessionsTexts)
  const [isOpen, setIsOpen] = useState(false)
  const [pausesTasks, setPausesTasks] = useState(false)
  const endAction = useEndOtherSessions(({ ended, paused_tasks }) => {
    showToast([texts.endedSome(ended), ...(pausesTasks ? [texts.pausedTasks(paused_tasks)] : [])].join(". "))
    setIsOpen(false)
  })
  const close = () => {
    endAction.reset()
    setIsOpen(false)
  }
  return (
    <>
      <Button variant="danger" onPress={() => setIsOpen(true)}>
        <LogOut aria-hidden />
        {texts.endOthers}
      </Button>
      <ConfirmDialog
        title={texts.endOthersTitle}
        label={texts.endOthers}
        action={endAction}
        isOpen={isOpen}
        onConfirm={() => endAction.run(pausesTasks)}
        onClose={close}
      >
        <p>{texts.endOthersDetail(count)}</p>
        <Toggle isOn={pausesTasks} onChange={setPausesTasks}>{texts.pauseTasks}</Toggle>
        <p className="soft">{texts.tasksStay}</p>
        <p className="soft">{texts.keysStay}</p>
      </ConfirmDialog>
    </>
  )
}

const StolenSessionWarning = () => {
  const texts = useTexts(sessionsTexts)
  return <Callout icon={ShieldAlert} title={texts.stolenWarning}>{texts.stolenWarningDetail}</Callout>
}

const Sessions = ({ sessions }: { readonly sessions: ReadonlyArray<Session> }) => {
  const texts = useTexts(sessionsTexts)
  const { signOut } = useAccess()
  const [shownState, setShownState] = useState<LiveOrPast>("live")
  const endAction = useEndSession(() => showToast(texts.endedOne))
  const now = useNow()
  const { live, past } = splitByState(sessions, now)
  const end = (session: Session) => {
    if (session.current) void signOut().catch(() => showToast(texts.signOutFailed, "bad"))
    else endAction.run(session.id)
  }
  return (
    <>
      {past.some(({ ended_because }) => ended_because === "stolen") && <StolenSessionWarning />}
      <LiveOrPastBar
        label={texts.which}
        selected={shownState}
        onChange={setShownState}
        live={{ name: texts.live, count: live.length }}
        past={{ name: texts.past, count: past.length }}
      >
        {live.length > 1 && <EndOthersButton count={live.length - 1} />}
      </LiveOrPastBar>
      {endAction.problem !== undefined && <ProblemNote problem={endAction.problem} />}
      <Panel isFlush>
        {shownState === "live"
          ? <LiveSessions sessions={live} now={now} end={end} isBusy={endAction.isRunning} />
          : past.length === 0
          ? <EmptyState title={texts.nonePast}>{texts.nonePastDetail}</EmptyState>
          : <PastSessions sessions={past} />}
      </Panel>
    </>
  )
}

const AccountSessions = ({ account }: { readonly account: SignedIn }) => {
  const texts = useTexts(sessionsTexts)
  const sessions = useSessions()
  return (
    <>
      <PageHeader title={texts.title}>{texts.lead}</PageHeader>
      <AccountPanel account={account} />
      <RequestView request={sessions} placeholder={<Skeleton lines={6} />}>
        {({ sessions }) => <Sessions sessions={sessions} />}
      </RequestView>
    </>
  )
}

export const SessionsPage = () => {
  const texts = useTexts(sessionsTexts)
  return (
    <RequireSession title={texts.title} lead={texts.lead}>
      {(account) => <AccountSessions account={account} />}
    </RequireSession>
  )
}
