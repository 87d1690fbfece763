import type { AccountUsage, SignedIn } from "@tapeline/client"
import { ChartColumn, ChevronLeft, ChevronRight, Wallet } from "lucide-react"
import { RequireSession } from "../../access/RequireSession.tsx"
import { useNow } from "../../i18n/clock.ts"
import { useNumbers } from "../../i18n/numbers.ts"
import { useRelativeTime } from "../../i18n/relativeTime.ts"
import { useTexts } from "../../i18n/texts.ts"
import { useRequest } from "../../requests/useRequest.ts"
import { setQuery, useLocation } from "../../router/location.ts"
import { Button } from "../../widgets/Button.tsx"
import { Callout } from "../../widgets/Callout.tsx"
import { SelectInput } from "../../widgets/fields.tsx"
import { Figure, Figures, Link, PageHeader, Panel } from "../../widgets/layout.tsx"
import { RequestView } from "../../widgets/RequestView.tsx"
import { EmptyState, Skeleton } from "../../widgets/states.tsx"
import { TabPanels } from "../../widgets/TabPanels.tsx"
import { useCalendar, usePercent } from "./calendar.ts"
import { DaysPlot } from "./DaysPlot.tsx"
import { addMonths, listMonths, toMonth } from "./month.ts"
import { computePace, fractionOf, type UsagePace } from "./pace.ts"
import { usageTexts } from "./texts.ts"
import styles from "./UsagePage.module.css"
import { AdjustmentsTable, DaysTable, KeysTable, ToolsTable } from "./usageTables.tsx"

const CreditsExhausted = ({ now, usage }: { readonly usage: AccountUsage; readonly now: number }) => {
  const texts = useTexts(usageTexts)
  const ago = useRelativeTime()
  const calendar = useCalendar()
  return (
    <Callout icon={Wallet} title={texts.exhausted}>
      {texts.exhaustedDetail(calendar.instantDay(usage.renews_at), ago(usage.renews_at, now))}
    </Callout>
  )
}

export const MonthFigures = (
  { now, pace, usage }: { readonly usage: AccountUsage; readonly pace: UsagePace; readonly now: number }
) => {
  const texts = useTexts(usageTexts)
  const { integer } = useNumbers()
  const ago = useRelativeTime()
  const calendar = useCalendar()
  const percent = usePercent()
  const { adjusted, allotted, left, reserved, used } = usage.credits
  const total = allotted + adjusted
  const calls = usage.days.reduce((sum, day) => sum + day.calls, 0)
  const failed = usage.days.reduce((sum, day) => sum + day.failed, 0)
  return (
    <Figures>
      <Figure name={texts.used} detail={texts.ofTotal(percent(fractionOf(used, total)), integer(total))}>
        {integer(used)}
      </Figure>
      {pace.isRunning && (
        <Figure name={texts.left} detail={reserved > 0 ? texts.reserved(integer(reserved)) : undefined}>
          {integer(left)}
        </Figure>
      )}
      {adjusted !== 0 && (
        <Figure name={texts.adjusted} detail={texts.adjustedDetail(integer(allotted))}>{integer(adjusted)}</Figure>
      )}
      <Figure
        name={texts.average}
        detail={!pace.isRunning || left <= 0
          ? undefined
          : pace.exhaustedAt === undefined
          ? texts.lastsWholeMonth
          : <span className="bad">{texts.endsAt(calendar.instantDay(pace.exhaustedAt))}</span>}
      >
        {integer(pace.averagePerDay)}
      </Figure>
      <Figure name={texts.calls} detail={failed > 0 ? texts.failedOf(integer(failed)) : texts.noneFailed}>
        {integer(calls)}
      </Figure>
      {pace.isRunning && (
        <Figure name={texts.renews} detail={ago(usage.renews_at, now)}>{calendar.instantDay(usage.renews_at)}</Figure>
      )}
    </Figures>
  )
}

const NoUsage = () => {
  const texts = useTexts(usageTexts)
  return (
    <EmptyState
      icon={ChartColumn}
      title={texts.none}
      action={
        <span className="row gap-4">
          <Link href="/tools">{texts.toTools}</Link>
          <Link href="/keys">{texts.toKeys}</Link>
        </span>
      }
    >
      {texts.noneDetail}
    </EmptyState>
  )
}

const MonthUsage = ({ usage }: { readonly usage: AccountUsage }) => {
  const texts = useTexts(usageTexts)
  const now = useNow()
  const pace = computePace(usage, now)
  const isEmpty = usage.days.length === 0
  return (
    <>
      {pace.isRunning && usage.credits.left <= 0 && <CreditsExhausted usage={usage} now={now} />}
      <Panel>
        <div className="column gap-5">
          <MonthFigures usage={usage} pace={pace} now={now} />
          {!isEmpty && <DaysPlot usage={usage} pace={pace} now={now} />}
        </div>
      </Panel>
      {isEmpty ?
        (
          <Panel>
            <NoUsage />
          </Panel>
        ) :
        (
          <TabPanels
            label={texts.views}
            panels={[
              { name: "tool", title: texts.byTool, content: <ToolsTable usage={usage} /> },
              { name: "key", title: texts.byKey, content: <KeysTable usage={usage} /> },
              { name: "day", title: texts.byDay, content: <DaysTable usage={usage} /> }
            ]}
          />
        )}
      {usage.adjustments.length > 0 && (
        <Panel title={texts.adjusted}>
          <AdjustmentsTable usage={usage} />
        </Panel>
      )}
    </>
  )
}

const maxPastMonths = 24

const MonthSelector = ({ first, now, shownMonth }: {
  readonly first: string
  /** The current month, YYYY-MM. */
  readonly now: string
  readonly shownMonth: string
}) => {
  const texts = useTexts(usageTexts)
  const calendar = useCalendar()
  const months = listMonths(first < now ? first : now, now, maxPastMonths)
  const selectMonth = (month: string) => setQuery({ month: month === now ? undefined : month })
  return (
    <div className={styles["months"]}>
      <Button
        isSquare
        aria-label={texts.earlier}
        isDisabled={shownMonth <= months.at(-1)!}
        onPress={() => selectMonth(addMonths(shownMonth, -1))}
      >
        <ChevronLeft aria-hidden />
      </Button>
      <SelectInput
        label={texts.month}
        value={shownMonth}
        onChange={selectMonth}
        options={months.map((value) => ({ value, label: calendar.month(value) }))}
      />
      <Button
        isSquare
        aria-label={texts.later}
        isDisabled={shownMonth >= now}
        onPress={() => selectMonth(addMonths(shownMonth, 1))}
      >
        <ChevronRight aria-hidden />
      </Button>
    </div>
  )
}

const isMonth = (text: string | null): text is string => text !== null && /^2\d{3}-(0[1-9]|1[0-2])$/.test(text)

const AccountMonths = ({ account }: { readonly account: SignedIn }) => {
  const texts = useTexts(usageTexts)
  const { query } = useLocation()
  const today = useNow()
  const requestedMonth = query.get("month")
  const month = isMonth(requestedMonth) ? requestedMonth : undefined
  const usage = useRequest(
    ["account usage", month],
    (client, options) => client.account.usage({ month }, options),
    { refreshMs: month === undefined ? 30_000 : undefined }
  )
  // The current month comes from the service's clock: a request without a month returns the usage of the current month.
  const now = month === undefined && usage.state === "loaded" ? usage.data.month : toMonth(today)
  return (
    <>
      <PageHeader
        title={texts.title}
        aside={<MonthSelector first={toMonth(account.created_at)} now={now} shownMonth={month ?? now} />}
      >
        {texts.lead}
      </PageHeader>
      <RequestView request={usage} placeholder={<Skeleton lines={9} />}>
        {(usage) => <MonthUsage usage={usage} />}
      </RequestView>
    </>
  )
}

export const UsagePage = () => {
  const texts = useTexts(usageTexts)
  return (
    <RequireSession title={texts.title} lead={texts.lead}>
      {(account) => <AccountMonths account={account} />}
    </RequireSession>
  )
}
