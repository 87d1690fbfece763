import type { SignedIn } from "@tapeline/client"
import { LogOut, ShieldAlert } from "lucide-react"
import { useState } from "react"
import { useAccess } from "../../access/Access.tsx"
import { BySession } from "../../access/BySession.tsx"
import { Button } from "../../widgets/Button.tsx"
import { Callout } from "../../widgets/Callout.tsx"
import { Dialog, DialogActions } from "../../widgets/Dialog.tsx"
import { Toggle } from "../../widgets/fields.tsx"
import lists from "../../widgets/lists.module.css"
import { type LiveOrPast, LiveOrPastBar } from "../../widgets/LiveOrPast.tsx"
import { PageHead, Panel } from "../../widgets/parts.tsx"
import { Empty, Skeleton, TroubleNote } from "../../widgets/states.tsx"
import { toast } from "../../widgets/toasts.tsx"
import { Told } from "../../widgets/Told.tsx"
import { useNow } from "../../words/useNow.ts"
import { useWords } from "../../words/words.ts"
import { AccountPanel } from "./AccountPanel.tsx"
import { parted, type Session } from "./list.ts"
import { useEnd, useEndOthers, useSessions } from "./sessions.ts"
import { LiveSessions, PastSessions } from "./sessionTables.tsx"
import { sessionsWords } from "./words.ts"

const EndOthers = ({ count }: { readonly count: number }) => {
  const says = useWords(sessionsWords)
  const [isOpen, setIsOpen] = useState(false)
  const [pauses, setPauses] = useState(false)
  const { forget, isRunning, run, trouble } = useEndOthers(({ ended, paused_tasks }) => {
    toast([says.endedSome(ended), ...(pauses ? [says.pausedTasks(paused_tasks)] : [])].join(". "))
    setIsOpen(false)
  })
  const close = () => {
    forget()
    setIsOpen(false)
  }
  return (
    <>
      <Button look="danger" onPress={() => setIsOpen(true)}>
        <LogOut aria-hidden />
        {says.endOthers}
      </Button>
      <Dialog title={says.endOthersTitle} isOpen={isOpen} onClose={close}>
        <p>{says.endOthersMore(count)}</p>
        <Toggle isOn={pauses} onChange={setPauses}>{says.pauseTasks}</Toggle>
        <p className={lists["soft"]}>{says.tasksStay}</p>
        <p className={lists["soft"]}>{says.keysStay}</p>
        {trouble !== undefined && <TroubleNote trouble={trouble} />}
        <DialogActions>
          <Button onPress={close}>{says.cancel}</Button>
          <Button look="danger" isBusy={isRunning} onPress={() => run(pauses)}>{says.endOthers}</Button>
        </DialogActions>
      </Dialog>
    </>
  )
}

const Alarm = () => {
  const says = useWords(sessionsWords)
  return <Callout icon={ShieldAlert} title={says.alarm}>{says.alarmMore}</Callout>
}

const Sessions = ({ sessions }: { readonly sessions: ReadonlyArray<Session> }) => {
  const says = useWords(sessionsWords)
  const { leave } = useAccess()
  const [which, setWhich] = useState<LiveOrPast>("live")
  const ending = useEnd(() => toast(says.endedOne))
  const now = useNow()
  const { live, past } = parted(sessions, now)
  const end = (session: Session) => {
    if (session.current) void leave().catch(() => toast(says.outFailed, "bad"))
    else ending.run(session.id)
  }
  return (
    <>
      {past.some(({ ended_because }) => ended_because === "stolen") && <Alarm />}
      <LiveOrPastBar
        label={says.which}
        chosen={which}
        onChange={setWhich}
        live={{ name: says.live, count: live.length }}
        past={{ name: says.past, count: past.length }}
      >
        {live.length > 1 && <EndOthers count={live.length - 1} />}
      </LiveOrPastBar>
      {ending.trouble !== undefined && <TroubleNote trouble={ending.trouble} />}
      <Panel isFlush>
        {which === "live"
          ? <LiveSessions sessions={live} now={now} end={end} isBusy={ending.isRunning} />
          : past.length === 0
          ? <Empty title={says.nonePast}>{says.nonePastMore}</Empty>
          : <PastSessions sessions={past} />}
      </Panel>
    </>
  )
}

const AccountSessions = ({ account }: { readonly account: SignedIn }) => {
  const says = useWords(sessionsWords)
  const sessions = useSessions()
  return (
    <>
      <PageHead title={says.title}>{says.lead}</PageHead>
      <AccountPanel account={account} />
      <Told of={sessions} waiting={<Skeleton lines={6} />}>{({ sessions }) => <Sessions sessions={sessions} />}</Told>
    </>
  )
}

/** The account with its plan, and its sessions. */
export const SessionsPage = () => <BySession>{(account) => <AccountSessions account={account} />}</BySession>
