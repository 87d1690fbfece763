import type { UsageLine } from "@tapeline/client/admin"
import { Download } from "lucide-react"
import { type SubmitEvent, useMemo, useState } from "react"
import { useNow } from "../../i18n/clock.ts"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { setQuery, useLocation } from "../../router/location.ts"
import { Button } from "../../widgets/Button.tsx"
import { type DataColumn, DataTable, numberColumn } from "../../widgets/DataTable.tsx"
import { SelectInput, TextInput } from "../../widgets/fields.tsx"
import { Link, PageHeader, Panel } from "../../widgets/layout.tsx"
import { RequestView } from "../../widgets/RequestView.tsx"
import { EmptyState, ProblemNote, Skeleton } from "../../widgets/states.tsx"
import { useCalendar } from "../usage/calendar.ts"
import { addMonths, listMonths, toMonth } from "../usage/month.ts"
import { accountPath } from "./accountPath.ts"
import { useAdminAction, useAdminRequest } from "./adminAccess.tsx"
import styles from "./AdminPage.module.css"
import { downloadText } from "./downloadText.ts"
import { Pager } from "./Pager.tsx"
import { parseId } from "./queryParameters.ts"
import { reportTexts } from "./reportTexts.ts"

const groupings = {
  account: "byAccount",
  day: "byDay",
  operation: "byOperation",
  key: "byKey",
  "account,day": "byAccountDay",
  "account,operation": "byAccountOperation"
} as const

type Grouping = keyof typeof groupings

// The cast is safe because `Object.keys` returns the names of the groupings.
const groupingNames = Object.keys(groupings) as ReadonlyArray<Grouping>

const CallerName = ({ line }: { readonly line: UsageLine }) => {
  const texts = useTexts(reportTexts)
  const name = {
    key: line.key_name ?? String(line.key),
    session: texts.callerSession,
    task: texts.callerTask,
    unknown: texts.callerUnknown
  }[line.caller ?? "unknown"]
  return <span className={styles["breakable"]}>{name}</span>
}

const useColumns = (grouping: Grouping): ReadonlyArray<DataColumn<UsageLine>> => {
  const texts = useTexts(reportTexts)
  const { integer } = useNumbers()
  return useMemo(() => {
    const dimensions = grouping === "key" ? ["account", "key"] : grouping.split(",")
    const all: Readonly<Record<string, ReadonlyArray<DataColumn<UsageLine>>>> = {
      account: [
        {
          id: "account",
          title: texts.account,
          isHead: true,
          cell: ({ account }) => account === undefined ? "–" : <Link href={accountPath(account)}>{account}</Link>
        },
        {
          id: "external id",
          title: texts.externalId,
          isMinor: true,
          cell: ({ external_id }) => <code className={styles["breakable"]}>{external_id ?? "–"}</code>
        }
      ],
      day: [{ id: "day", title: texts.day, cell: ({ day }) => <span className="nowrap">{day ?? "–"}</span> }],
      operation: [{ id: "tool", title: texts.tool, cell: ({ operation }) => <code>{operation}</code> }],
      key: [{ id: "caller", title: texts.caller, cell: (line) => <CallerName line={line} /> }]
    }
    return [
      ...dimensions.flatMap((dimension) => all[dimension] ?? []),
      numberColumn("calls", texts.calls, ({ calls }) => calls, integer),
      numberColumn("failed", texts.failed, ({ failed }) => failed, integer, { isMinor: true }),
      numberColumn("credits", texts.credits, ({ credits }) => credits, integer)
    ]
  }, [texts, integer, grouping])
}

const lineIdOf = (line: UsageLine): string =>
  [line.account, line.day, line.caller, line.key, line.operation].map((part) => part ?? "").join(" ")

const maxPastMonths = 24

const Filters = ({ account, grouping, month, now }: {
  readonly account: number | undefined
  readonly grouping: Grouping
  readonly month: string
  readonly now: string
}) => {
  const texts = useTexts(reportTexts)
  const calendar = useCalendar()
  const [text, setText] = useState(account === undefined ? "" : String(account))
  const [fault, setFault] = useState<string>()
  const months = listMonths(addMonths(now, -maxPastMonths), now, maxPastMonths)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const id = parseId(text.trim())
    if (text.trim() !== "" && id === undefined) return setFault(texts.accountWrong)
    setFault(undefined)
    setQuery({ account: id === undefined ? undefined : String(id), cursor: undefined })
  }
  return (
    <form className={styles["filters"]} onSubmit={submit}>
      <SelectInput
        label={texts.month}
        value={month}
        onChange={(value) => setQuery({ month: value === now ? undefined : value, cursor: undefined })}
        options={(months.includes(month) ? months : [month, ...months])
          .map((value) => ({ value, label: calendar.month(value) }))}
      />
      <SelectInput
        label={texts.groupBy}
        value={grouping}
        onChange={(value) => setQuery({ group_by: value === "account" ? undefined : value, cursor: undefined })}
        options={groupingNames.map((value) => ({ value, label: texts[groupings[value]] }))}
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
  )
}

const monthPattern = /^2\d{3}-(0[1-9]|1[0-2])$/

/** The calls and credits of all accounts, or of one account, in a month. */
export const AdminUsagePage = () => {
  const texts = useTexts(reportTexts)
  const { query } = useLocation()
  const now = toMonth(useNow())
  const requestedMonth = query.get("month") ?? ""
  const month = monthPattern.test(requestedMonth) ? requestedMonth : now
  const grouping = groupingNames.find((name) => name === query.get("group_by")) ?? "account"
  const account = parseId(query.get("account"))
  const report = { month, account, group_by: grouping }
  const page = { ...report, limit: 100, cursor: query.get("cursor") ?? undefined }
  const usage = useAdminRequest(["usage", page], (client, options) => client.usage(page, options))
  const download = useAdminAction(
    (client, wanted: typeof report) => client.usageCsv(wanted, { timeout_ms: 120_000 }),
    (csv, { group_by, month }) =>
      downloadText(`usage-${month}-by-${group_by.replaceAll(",", "-")}.csv`, "text/csv", csv)
  )
  const columns = useColumns(grouping)
  return (
    <>
      <PageHeader
        title={texts.usage}
        aside={
          <Button isBusy={download.isRunning} onPress={() => download.run(report)}>
            <Download aria-hidden />
            {texts.download}
          </Button>
        }
      >
        {texts.usageLead}
      </PageHeader>
      {download.problem !== undefined && <ProblemNote problem={download.problem} />}
      <Filters key={account ?? 0} account={account} grouping={grouping} month={month} now={now} />
      <RequestView request={usage} placeholder={<Skeleton lines={8} />}>
        {({ final, lines, next_cursor }) => (
          <>
            <Panel isFlush>
              <DataTable
                key={grouping}
                label={texts.usage}
                rows={lines}
                columns={columns}
                rowId={lineIdOf}
                empty={<EmptyState title={texts.noUsage} />}
              />
            </Panel>
            <p className="soft">{final ? texts.final : texts.notFinal}</p>
            <Pager next={next_cursor} />
          </>
        )}
      </RequestView>
    </>
  )
}
