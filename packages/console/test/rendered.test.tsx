import type { Notification } from "@tapeline/client"
import type { Language } from "@tapeline/core/specifications"
import { renderToStaticMarkup } from "react-dom/server"
import { describe, expect, it } from "vitest"
import { NotificationList } from "../browser/app/notifications/NotificationPanel.tsx"
import { emptyState, type NotificationState } from "../browser/app/notifications/notificationState.ts"
import { notificationTexts } from "../browser/app/notifications/texts.ts"
import { languages } from "../browser/i18n/language.ts"
import { LanguageProvider } from "../browser/i18n/LanguageProvider.tsx"
import { makeNumbers } from "../browser/i18n/numbers.ts"
import { Composer, noDraft } from "../browser/pages/analyst/Composer.tsx"
import { analystTexts } from "../browser/pages/analyst/texts.ts"
import type { History, Statistics } from "../browser/pages/journal/queries.ts"
import { StatisticsContent } from "../browser/pages/journal/StatisticsView.tsx"
import { TradeList } from "../browser/pages/journal/TradesView.tsx"
import { tradeTexts } from "../browser/pages/journal/tradeTexts.ts"
import { TableCell } from "../browser/pages/tool/TableView.tsx"
import { computePace } from "../browser/pages/usage/pace.ts"
import { usageTexts } from "../browser/pages/usage/texts.ts"
import { MonthFigures } from "../browser/pages/usage/UsagePage.tsx"

const ignore = () => undefined

describe("The panel of notifications", () => {
  const texts = notificationTexts.en
  const render = (state: Partial<NotificationState>) =>
    renderToStaticMarkup(<NotificationList notifications={{ ...emptyState, ...state }} close={ignore} />)

  it("reports older unread notifications that it does not show, with and without newer ones", () => {
    const row: Notification = {
      id: 42,
      time: "2026-11-22T09:31:04.000Z",
      kind: "task_fired",
      title: "Task 42",
      body: "",
      task_id: 7,
      conversation_id: null,
      read: false
    }
    const empty = render({ unread: 2, newestId: 41 })
    expect(empty).toContain(texts.older(2))
    expect(empty).not.toContain(texts.noneHere)
    expect(render({ unread: 3, newestId: 42, rows: [row] })).toContain(texts.older(2))
  })

  it("reports none if every unread notification is shown", () => {
    expect(render({ unread: 0 })).toContain(texts.noneHere)
  })
})

describe("The usage of a month", () => {
  const says = usageTexts.en
  const shown = (adjusted: number) => {
    const usage = {
      month: "2026-11",
      credits: { allotted: 2_000, adjusted, used: 500, reserved: 0, left: 1_500 + adjusted },
      renews_at: "2026-12-01T00:00:00.000Z",
      adjustments: [],
      tools: [],
      days: [],
      keys: []
    }
    const now = Date.UTC(2026, 10, 20)
    return renderToStaticMarkup(<MonthFigures usage={usage} pace={computePace(usage, now)} now={now} />)
  }

  it("shows adjustments, and the share of all credits", () => {
    expect(shown(500)).toContain(says.adjustedDetail("2,000"))
    expect(shown(500)).toContain(says.ofTotal("20.0%", "2,500"))
    expect(shown(-100)).toContain("-100")
  })

  it("omits adjustments if there are none", () => {
    expect(shown(0)).not.toContain(says.adjusted)
    expect(shown(0)).toContain(says.ofTotal("25.0%", "2,000"))
  })
})

describe("The journal", () => {
  const texts = tradeTexts.en
  const trade = {
    id: 1,
    coin: "BTC",
    side: "long",
    entry: 60_000,
    exit: 61_000,
    size_usd: 1_000,
    fraction: 1,
    fees_usd: 0,
    pnl_usd: 16,
    r: null,
    notes: null,
    closed_at: "2026-11-22T09:31:04.000Z"
  }

  it("explains that each trade is one close, and that the statistics count positions", () => {
    // The cast is safe because the object has every field that `TradeList` reads.
    const history = { trades: [trade], total: 1, journal_notes: [], trade_notes: [] } as unknown as History
    expect(renderToStaticMarkup(<TradeList history={history} onOpenTrade={ignore} />)).toContain(texts.eachClose)
    const statistics = {
      n: 1,
      n_judged: 1,
      wins: 1,
      win_rate: 1,
      wilson_low: null,
      wilson_high: null,
      expectancy_r: null,
      average_win_r: null,
      average_loss_r: null,
      profit_factor: null,
      pnl_usd: 16,
      fees_usd: 0,
      streaks: { current: 1, longest_win: 1, longest_loss: 0 },
      by_coin: [],
      by_side: [],
      best: null,
      worst: null,
      notes: []
    } as unknown as Statistics // Only the fields that the page reads.
    expect(renderToStaticMarkup(<StatisticsContent statistics={statistics} />)).toContain(texts.wholePositions)
  })
})

describe("The field for a question", () => {
  const render = (language: Language, text: string) =>
    renderToStaticMarkup(
      <LanguageProvider initial={language}>
        <Composer
          draft={{ ...noDraft, text }}
          change={ignore}
          isNew
          isRunning={false}
          fieldRef={{ current: null }}
          hint={undefined}
          onSend={ignore}
          onStop={undefined}
        />
      </LanguageProvider>
    )

  it.each(languages)("keeps a question that is too long, reports its length, and does not send it (%s)", (language) => {
    const { integer } = makeNumbers(language)
    const text = "x".repeat(40_000)
    const html = render(language, text)
    expect(html).toContain(text)
    expect(html).toContain(analystTexts[language].tooLong(integer(40_000), integer(32_000)))
    expect(html).toMatch(/<button(?=[^>]*disabled="")[^>]*>(?:(?!<button).)*lucide-arrow-up/u)
    const longest = render(language, "x".repeat(32_000))
    expect(longest).not.toContain("role=\"alert\"")
    expect(longest).not.toMatch(/<button(?=[^>]*disabled="")[^>]*>(?:(?!<button).)*lucide-arrow-up/u)
  })
})

describe("A cell of a table", () => {
  const numbers = makeNumbers("en")
  const renderCell = (value: unknown) =>
    renderToStaticMarkup(<TableCell name="row.levels" value={value} numbers={numbers} />)

  it("shows an object or a list as a folded tree, and not as JSON", () => {
    for (const value of [{ low: 1, high: { at: 2 } }, [{ price: 3 }]]) {
      const html = renderCell(value)
      expect(html).toContain("<details")
      expect(html).toContain("levels")
      expect(html).not.toMatch(/[{[](?:"|&quot;)/u)
    }
    expect(renderCell(5)).not.toContain("<details")
  })
})
