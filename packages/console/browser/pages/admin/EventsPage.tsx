import type { AdminEvent } from "@tapeline/client/admin"
import { type SubmitEvent, useMemo, useState } from "react"
import { useNow } from "../../i18n/clock.ts"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { setQuery, useLocation } from "../../router/location.ts"
import { Button } from "../../widgets/Button.tsx"
import { Chips } from "../../widgets/Chips.tsx"
import { type DataColumn, DataTable } from "../../widgets/DataTable.tsx"
import { SelectInput, TextInput } from "../../widgets/fields.tsx"
import { Link, PageHeader, Panel } from "../../widgets/layout.tsx"
import lists from "../../widgets/lists.module.css"
import { RequestView } from "../../widgets/RequestView.tsx"
import { EmptyState, Skeleton } from "../../widgets/states.tsx"
import { accountPath } from "./accountPath.ts"
import { useAdminRequest } from "./adminAccess.tsx"
import styles from "./AdminPage.module.css"
import { type EventType, eventTypes, listChanges } from "./events.ts"
import { Pager } from "./Pager.tsx"
import { parseCursor, parseId } from "./queryParameters.ts"
import { reportTexts } from "./reportTexts.ts"

const periods = { day: 1, week: 7, month: 30, all: undefined } as const
type Period = keyof typeof periods

const hourMs = 3_600_000

/** Returns the start of a period. Whole hours keep the request the same for an hour, so its cached response is used. */
const startOf = (period: Period, now: number): string | undefined => {
  const days = periods[period]
  return days === undefined ? undefined : new Date(Math.floor(now / hourMs) * hourMs - days * 24 * hourMs).toISOString()
}

const Changes = ({ event }: { readonly event: AdminEvent }) => {
  const changes = listChanges(event)
  if (changes.length === 0) return <span className="faint">–</span>
  return (
    <ul className={styles["changes"]}>
      {changes.map(({ after, before, name }) => (
        <li key={name}>
          <code>
            {name}: {before === undefined ? after : after === undefined ? before : `${before} → ${after}`}
          </code>
        </li>
      ))}
    </ul>
  )
}

const useColumns = (): ReadonlyArray<DataColumn<AdminEvent>> => {
  const texts = useTexts(reportTexts)
  const { time } = useNumbers()
  return useMemo(() => [
    {
      id: "type",
      title: texts.type,
      isHead: true,
      cell: (event) => (
        <>
          <code className={styles["breakable"]}>{event.type}</code>
          <span className={lists["under"]}>
            <span>{time(event.time)}</span>
            <code className={styles["breakable"]}>{event.actor}</code>
            {event.target !== null && <code>{event.target}</code>}
            <Changes event={event} />
          </span>
        </>
      )
    },
    {
      id: "time",
      title: texts.time,
      isMinor: true,
      cell: (event) => <span className={lists["when"]}>{time(event.time)}</span>
    },
    {
      id: "actor",
      title: texts.actor,
      isMinor: true,
      cell: ({ actor }) => <code className={styles["breakable"]}>{actor}</code>
    },
    {
      id: "account",
      title: texts.account,
      cell: ({ account }) =>
        account === null
          ? <span className="faint">–</span>
          : <Link href={accountPath(account)}>{account}</Link>
    },
    { id: "target", title: texts.target, isMinor: true, cell: ({ target }) => <code>{target ?? "–"}</code> },
    { id: "changes", title: texts.changes, isMinor: true, cell: (event) => <Changes event={event} /> },
    { id: "address", title: texts.address, isMinor: true, cell: ({ address }) => <code>{address ?? "–"}</code> }
  ], [texts, time])
}

const Filters = ({ account, period, type }: {
  readonly account: number | undefined
  readonly period: Period
  readonly type: EventType | undefined
}) => {
  const texts = useTexts(reportTexts)
  const [text, setText] = useState(account === undefined ? "" : String(account))
  const [fault, setFault] = useState<string>()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const id = parseId(text.trim())
    if (text.trim() !== "" && id === undefined) return setFault(texts.accountWrong)
    setFault(undefined)
    setQuery({ account: id === undefined ? undefined : String(id), cursor: undefined })
  }
  const periodNames = { day: texts.lastDay, week: texts.lastWeek, month: texts.lastMonth, all: texts.always }
  return (
    <>
      <Chips
        label={texts.period}
        selected={period}
        onChange={(value) => setQuery({ period: value === "week" ? undefined : value, cursor: undefined })}
        options={(["day", "week", "month", "all"] as const).map((value) => ({ value, label: periodNames[value] }))}
      />
      <form className={styles["filters"]} onSubmit={submit}>
        <SelectInput
          label={texts.type}
          value={type ?? "all"}
          onChange={(value) => setQuery({ type: value === "all" ? undefined : value, cursor: undefined })}
          options={[
            { value: "all", label: texts.anyType },
            ...eventTypes.map((value) => ({ value, label: value }))
          ]}
        />
        <TextInput
          label={texts.account}
          hint={texts.accountHint}
          value={text}
          onChange={setText}
          keyboard="numeric"
          fault={fault}
        />
        <Button type="submit">{texts.show}</Button>
      </form>
    </>
  )
}

const newestPage = { order: "newest", limit: 50 } as const

/** The audit log: recorded events, with filters by period, type and account. */
export const EventsPage = () => {
  const texts = useTexts(reportTexts)
  const { query } = useLocation()
  const now = useNow()
  const period = (["day", "month", "all"] as const).find((value) => value === query.get("period")) ?? "week"
  const type = eventTypes.find((value) => value === query.get("type"))
  const account = parseId(query.get("account"))
  const filter = { account, type, since: startOf(period, now), ...newestPage, cursor: parseCursor(query.get("cursor")) }
  const events = useAdminRequest(["events", filter], (client, options) => client.events(filter, options))
  const columns = useColumns()
  return (
    <>
      <PageHeader title={texts.events}>{texts.eventsLead}</PageHeader>
      <Filters key={account ?? 0} account={account} period={period} type={type} />
      <RequestView request={events} placeholder={<Skeleton lines={8} />}>
        {({ events, next_cursor }) => (
          <>
            <Panel isFlush>
              <DataTable
                label={texts.events}
                rows={events}
                columns={columns}
                rowId={({ id }) => id}
                empty={<EmptyState title={texts.noEvents}>{texts.noEventsDetail}</EmptyState>}
              />
            </Panel>
            <Pager next={next_cursor} />
          </>
        )}
      </RequestView>
    </>
  )
}
