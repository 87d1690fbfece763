import type { AccountUsage, SignedIn } from "@tapeline/client"
import { ChartColumn, ChevronLeft, ChevronRight, Wallet } from "lucide-react"
import { BySession } from "../../access/BySession.tsx"
import { useAsk } from "../../asking/useAsk.ts"
import { setQuery, useLocation } from "../../router/location.ts"
import { Button } from "../../widgets/Button.tsx"
import { Callout } from "../../widgets/Callout.tsx"
import { Choice } from "../../widgets/fields.tsx"
import { Figure, Figures, Link, PageHead, Panel } from "../../widgets/parts.tsx"
import { Empty, Skeleton } from "../../widgets/states.tsx"
import { TabPanels } from "../../widgets/TabPanels.tsx"
import { Told } from "../../widgets/Told.tsx"
import { useAgo } from "../../words/ago.ts"
import { useNumbers } from "../../words/numbers.ts"
import { useNow } from "../../words/useNow.ts"
import { useWords } from "../../words/words.ts"
import { DaysPlot } from "./DaysPlot.tsx"
import { monthAfter, monthOf, monthsBack } from "./month.ts"
import { useCalendar, usePercent } from "./names.ts"
import { type Pace, paceOf, shareOf } from "./pace.ts"
import styles from "./UsagePage.module.css"
import { DaysTable, KeysTable, ToolsTable } from "./usageTables.tsx"
import { usageWords } from "./words.ts"

const Out = ({ now, usage }: { readonly usage: AccountUsage; readonly now: number }) => {
  const says = useWords(usageWords)
  const ago = useAgo()
  const calendar = useCalendar()
  return (
    <Callout icon={Wallet} title={says.out}>
      {says.outMore(calendar.instantDay(usage.renews_at), ago(usage.renews_at, now))}
    </Callout>
  )
}

/** The month's figures. */
const Standing = (
  { now, pace, usage }: { readonly usage: AccountUsage; readonly pace: Pace; readonly now: number }
) => {
  const says = useWords(usageWords)
  const { whole } = useNumbers()
  const ago = useAgo()
  const calendar = useCalendar()
  const percent = usePercent()
  const { allotted, left, reserved, used } = usage.credits
  const calls = usage.days.reduce((sum, day) => sum + day.calls, 0)
  const failed = usage.days.reduce((sum, day) => sum + day.failed, 0)
  return (
    <Figures>
      <Figure name={says.used} more={says.ofAllotted(percent(shareOf(used, allotted)), whole(allotted))}>
        {whole(used)}
      </Figure>
      {pace.isRunning && (
        <Figure name={says.left} more={reserved > 0 ? says.reserved(whole(reserved)) : undefined}>{whole(left)}</Figure>
      )}
      <Figure
        name={says.average}
        more={!pace.isRunning || left <= 0
          ? undefined
          : pace.endsAt === undefined
          ? says.lasts
          : <span className={styles["soon"]}>{says.endsAt(calendar.instantDay(pace.endsAt))}</span>}
      >
        {whole(pace.average)}
      </Figure>
      <Figure name={says.calls} more={failed > 0 ? says.failedOf(whole(failed)) : says.allWell}>{whole(calls)}</Figure>
      {pace.isRunning && (
        <Figure name={says.renews} more={ago(usage.renews_at, now)}>{calendar.instantDay(usage.renews_at)}</Figure>
      )}
    </Figures>
  )
}

const Nothing = () => {
  const says = useWords(usageWords)
  return (
    <Empty
      icon={ChartColumn}
      title={says.none}
      action={
        <span className={styles["ways"]}>
          <Link href="/tools">{says.toTools}</Link>
          <Link href="/keys">{says.toKeys}</Link>
        </span>
      }
    >
      {says.noneMore}
    </Empty>
  )
}

const Month = ({ usage }: { readonly usage: AccountUsage }) => {
  const says = useWords(usageWords)
  const now = useNow()
  const pace = paceOf(usage, now)
  const isEmpty = usage.days.length === 0
  return (
    <>
      {pace.isRunning && usage.credits.left <= 0 && <Out usage={usage} now={now} />}
      <Panel>
        <div className={styles["month"]}>
          <Standing usage={usage} pace={pace} now={now} />
          {!isEmpty && <DaysPlot usage={usage} pace={pace} now={now} />}
        </div>
      </Panel>
      {isEmpty ?
        (
          <Panel>
            <Nothing />
          </Panel>
        ) :
        (
          <TabPanels
            label={says.views}
            panels={[
              { name: "tool", title: says.byTool, content: <ToolsTable usage={usage} /> },
              { name: "key", title: says.byKey, content: <KeysTable usage={usage} /> },
              { name: "day", title: says.byDay, content: <DaysTable usage={usage} /> }
            ]}
          />
        )}
    </>
  )
}

/** The number of past months that can be selected. */
const most = 24

const MonthChoice = ({ first, now, shown }: {
  readonly first: string
  /** The current month. */
  readonly now: string
  readonly shown: string
}) => {
  const says = useWords(usageWords)
  const calendar = useCalendar()
  const months = monthsBack(first < now ? first : now, now, most)
  const go = (month: string) => setQuery({ month: month === now ? undefined : month })
  return (
    <div className={styles["months"]}>
      <Button
        isSquare
        aria-label={says.earlier}
        isDisabled={shown <= months.at(-1)!}
        onPress={() => go(monthAfter(shown, -1))}
      >
        <ChevronLeft aria-hidden />
      </Button>
      <Choice
        label={says.month}
        value={shown}
        onChange={go}
        options={months.map((value) => ({ value, label: calendar.month(value) }))}
      />
      <Button isSquare aria-label={says.later} isDisabled={shown >= now} onPress={() => go(monthAfter(shown, 1))}>
        <ChevronRight aria-hidden />
      </Button>
    </div>
  )
}

const isMonth = (text: string | null): text is string => text !== null && /^2\d{3}-(0[1-9]|1[0-2])$/.test(text)

const AccountMonths = ({ account }: { readonly account: SignedIn }) => {
  const says = useWords(usageWords)
  const { query } = useLocation()
  const today = useNow()
  const asked = query.get("month")
  const month = isMonth(asked) ? asked : undefined
  const usage = useAsk(
    ["account usage", month],
    (client, options) => client.account.usage({ month }, options),
    { everyMs: month === undefined ? 30_000 : undefined }
  )
  // The service determines the current month. Its response is used if the current month was requested.
  const now = month === undefined && usage.state === "told" ? usage.data.month : monthOf(today)
  return (
    <>
      <PageHead
        title={says.title}
        aside={<MonthChoice first={monthOf(account.created_at)} now={now} shown={month ?? now} />}
      >
        {says.lead}
      </PageHead>
      <Told of={usage} waiting={<Skeleton lines={9} />}>{(usage) => <Month usage={usage} />}</Told>
    </>
  )
}

/** The page of a month's credits: by day with the pace, by tool and by key. */
export const UsagePage = () => <BySession>{(account) => <AccountMonths account={account} />}</BySession>
