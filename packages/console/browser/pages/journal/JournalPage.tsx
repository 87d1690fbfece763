import { Plus } from "lucide-react"
import { useState } from "react"
import { usePriced } from "../../asking/usePriced.ts"
import { usePrices } from "../../asking/usePrices.ts"
import { setQuery, useLocation } from "../../router/location.ts"
import { Button } from "../../widgets/Button.tsx"
import { PageHead } from "../../widgets/parts.tsx"
import { Empty } from "../../widgets/states.tsx"
import { TabPanels } from "../../widgets/TabPanels.tsx"
import { useWords } from "../../words/words.ts"
import { positionsAsk } from "./asks.ts"
import { PositionDialog } from "./PositionDialog.tsx"
import { PositionsView } from "./PositionsView.tsx"
import { RiskView } from "./RiskView.tsx"
import { StatisticsView } from "./StatisticsView.tsx"
import { TradesView } from "./TradesView.tsx"
import type { TypedPosition } from "./typedPosition.ts"
import { WatchlistView } from "./WatchlistView.tsx"
import { journalWords } from "./words.ts"

const views = ["positions", "trades", "statistics", "watchlist", "risk"] as const
type View = typeof views[number]

const show = (view: View) => setQuery({ view: view === "positions" ? undefined : view })

/** The account's journal: positions, trades, notes, statistics, the watchlist and risk. */
export const JournalPage = () => {
  const says = useWords(journalWords)
  const prices = usePrices()
  const priced = usePriced()
  const { query } = useLocation()
  const [begun, setBegun] = useState<Partial<TypedPosition>>()
  const shown = views.find((view) => view === query.get("view")) ?? "positions"
  if (prices.size > 0 && !prices.has(positionsAsk.tool)) {
    return (
      <>
        <PageHead title={says.title} />
        <Empty title={says.closed}>{says.closedMore}</Empty>
      </>
    )
  }
  const record = prices.has("set_position") ? () => setBegun({}) : undefined
  const contents = {
    positions: <PositionsView record={record} />,
    trades: <TradesView />,
    statistics: <StatisticsView />,
    watchlist: <WatchlistView />,
    risk: <RiskView record={record === undefined ? undefined : setBegun} />
  }
  return (
    <>
      <PageHead
        title={says.title}
        aside={record !== undefined && (
          <Button look="primary" onPress={record}>
            <Plus aria-hidden />
            {says.record}
          </Button>
        )}
      >
        {says.lead} {priced(says.costs, positionsAsk.tool)}
      </PageHead>
      <TabPanels
        label={says.views}
        shown={shown}
        onChange={show}
        panels={views.map((name) => ({ name, title: says[name], content: contents[name] }))}
      />
      {begun !== undefined && (
        <PositionDialog
          begin={begun}
          onClose={() => setBegun(undefined)}
          onRecorded={() => show("positions")}
        />
      )}
    </>
  )
}
