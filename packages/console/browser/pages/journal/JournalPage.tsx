import { Plus } from "lucide-react"
import { useState } from "react"
import { useTexts } from "../../i18n/texts.ts"
import { usePricedLabel, usePrices } from "../../requests/catalogue.ts"
import { setQuery, useLocation } from "../../router/location.ts"
import { Button } from "../../widgets/Button.tsx"
import { PageHeader } from "../../widgets/layout.tsx"
import { EmptyState } from "../../widgets/states.tsx"
import { TabPanels } from "../../widgets/TabPanels.tsx"
import { PositionDialog } from "./PositionDialog.tsx"
import type { PositionDraft } from "./positionDraft.ts"
import { PositionsView } from "./PositionsView.tsx"
import { positionsQuery } from "./queries.ts"
import { RiskView } from "./RiskView.tsx"
import { StatisticsView } from "./StatisticsView.tsx"
import { journalTexts } from "./texts.ts"
import { TradesView } from "./TradesView.tsx"
import { WatchlistView } from "./WatchlistView.tsx"

const views = ["positions", "trades", "statistics", "watchlist", "risk"] as const
type View = typeof views[number]

const showView = (view: View) => setQuery({ view: view === "positions" ? undefined : view })

export const JournalPage = () => {
  const texts = useTexts(journalTexts)
  const prices = usePrices()
  const pricedLabel = usePricedLabel()
  const { query } = useLocation()
  const [initialPosition, setInitialPosition] = useState<Partial<PositionDraft>>()
  const currentView = views.find((view) => view === query.get("view")) ?? "positions"
  if (prices.size > 0 && !prices.has(positionsQuery.tool)) {
    return (
      <>
        <PageHeader title={texts.title} />
        <EmptyState title={texts.closed}>{texts.closedDetail}</EmptyState>
      </>
    )
  }
  const openRecordDialog = prices.has("set_position") ? () => setInitialPosition({}) : undefined
  const viewContents = {
    positions: <PositionsView onRecord={openRecordDialog} />,
    trades: <TradesView />,
    statistics: <StatisticsView />,
    watchlist: <WatchlistView />,
    risk: <RiskView onRecord={openRecordDialog === undefined ? undefined : setInitialPosition} />
  }
  return (
    <>
      <PageHeader
        title={texts.title}
        aside={openRecordDialog !== undefined && (
          <Button variant="primary" onPress={openRecordDialog}>
            <Plus aria-hidden />
            {texts.record}
          </Button>
        )}
      >
        {texts.lead} {pricedLabel(texts.costs, positionsQuery.tool)}
      </PageHeader>
      <TabPanels
        label={texts.views}
        selected={currentView}
        onChange={showView}
        panels={views.map((name) => ({ name, title: texts[name], content: viewContents[name] }))}
      />
      {initialPosition !== undefined && (
        <PositionDialog
          initial={initialPosition}
          onClose={() => setInitialPosition(undefined)}
          onRecorded={() => showView("positions")}
        />
      )}
    </>
  )
}
