import { Monitor, Smartphone } from "lucide-react"
import { type ReactNode, useMemo } from "react"
import { useNumbers } from "../../i18n/numbers.ts"
import { useRelativeTime } from "../../i18n/relativeTime.ts"
import { useTexts } from "../../i18n/texts.ts"
import { Button } from "../../widgets/Button.tsx"
import { actionsColumn, type DataColumn, DataTable } from "../../widgets/DataTable.tsx"
import { Badge } from "../../widgets/layout.tsx"
import lists from "../../widgets/lists.module.css"
import { parseDevice } from "./device.ts"
import styles from "./SessionsPage.module.css"
import type { Session } from "./sessionState.ts"
import { sessionsTexts } from "./texts.ts"

const useDeviceName = (): (session: Session) => string => {
  const texts = useTexts(sessionsTexts)
  return useMemo(() => ({ device }) => {
    const { machine, program } = parseDevice(device)
    return [program, machine].filter((part) => part !== undefined).join(" · ") || texts.unknown
  }, [texts])
}

/** The table cell with a session's device and, on a narrow screen, the session's other properties. */
const DeviceCell = ({ name, session, details }: {
  readonly session: Session
  readonly name: string
  readonly details: ReactNode
}) => {
  const texts = useTexts(sessionsTexts)
  const Icon = parseDevice(session.device).isHandheld ? Smartphone : Monitor
  return (
    <span className={styles["device"]} title={session.device}>
      <Icon aria-hidden />
      <span>{name}</span>
      {session.current && <Badge variant="tape">{texts.this}</Badge>}
      <span className={`${lists["under"]} ${styles["underDevice"]}`}>{details}</span>
    </span>
  )
}

const useEndReason = (): (session: Session) => string => {
  const texts = useTexts(sessionsTexts)
  return useMemo(() => {
    const reasons = {
      signed_out: texts.signedOut,
      revoked: texts.revoked,
      replaced: texts.replaced,
      stolen: texts.stolen
    }
    return ({ ended_because }) => ended_because === null ? texts.expired : reasons[ended_because]
  }, [texts])
}

type Column = DataColumn<Session>

const useCommonColumns = (
  details: (session: Session) => ReactNode
): { readonly device: Column; readonly startColumn: Column } => {
  const texts = useTexts(sessionsTexts)
  const { time } = useNumbers()
  const deviceName = useDeviceName()
  return {
    device: {
      id: "device",
      title: texts.device,
      isHead: true,
      order: deviceName,
      cell: (session) => <DeviceCell session={session} name={deviceName(session)} details={details(session)} />
    },
    startColumn: {
      id: "began",
      title: texts.began,
      isMinor: true,
      order: ({ created_at }) => Date.parse(created_at),
      cell: ({ created_at, signed_in_by }) => (
        <span className={lists["when"]}>
          {time(created_at)} <span className="soft">{texts[signed_in_by]}</span>
        </span>
      )
    }
  }
}

const idOf = ({ id }: Session): number => id

export const LiveSessions = ({ end, isBusy, now, sessions }: {
  readonly sessions: ReadonlyArray<Session>
  readonly now: number
  readonly end: (session: Session) => void
  readonly isBusy: boolean
}) => {
  const texts = useTexts(sessionsTexts)
  const ago = useRelativeTime()
  const deviceName = useDeviceName()
  const lastUse = ({ current, last_used_at }: Session): string => current ? texts.now : ago(last_used_at, now)
  const { startColumn, device } = useCommonColumns((session) => lastUse(session))
  const columns: ReadonlyArray<Column> = [
    device,
    startColumn,
    {
      id: "lastUse",
      title: texts.lastUse,
      isMinor: true,
      order: ({ last_used_at }) => Date.parse(last_used_at),
      cell: (session) => <span className={lists["when"]}>{lastUse(session)}</span>
    },
    {
      id: "ends",
      title: texts.ends,
      isMinor: true,
      order: ({ ends_at }) => Date.parse(ends_at),
      cell: ({ ends_at }) => (
        <span className={lists["when"]}>
          {ago(ends_at, now)} <span className="soft">{texts.endsHint}</span>
        </span>
      )
    },
    actionsColumn(texts.actions, (session) =>
      session.current
        ? <Button variant="quiet" onPress={() => end(session)}>{texts.signOut}</Button>
        : (
          <Button isBusy={isBusy} aria-label={texts.endOf(deviceName(session))} onPress={() => end(session)}>
            {texts.end}
          </Button>
        ))
  ]
  return <DataTable label={texts.live} rows={sessions} columns={columns} rowId={idOf} />
}

export const PastSessions = ({ sessions }: { readonly sessions: ReadonlyArray<Session> }) => {
  const texts = useTexts(sessionsTexts)
  const { time } = useNumbers()
  const endReason = useEndReason()
  const endTime = ({ ended_at, ends_at }: Session): string => ended_at ?? ends_at
  const reasonBadge = (session: Session) => (
    <Badge variant={session.ended_because === "stolen" ? "bad" : "plain"}>{endReason(session)}</Badge>
  )
  const { startColumn, device } = useCommonColumns((session) => <>{time(endTime(session))} {reasonBadge(session)}</>)
  const columns: ReadonlyArray<Column> = [
    device,
    startColumn,
    {
      id: "ended",
      title: texts.ended,
      isMinor: true,
      order: (session) => Date.parse(endTime(session)),
      cell: (session) => <span className={lists["when"]}>{time(endTime(session))}</span>
    },
    { id: "why", title: texts.why, isMinor: true, order: endReason, cell: reasonBadge }
  ]
  return <DataTable label={texts.past} rows={sessions} columns={columns} rowId={idOf} />
}
