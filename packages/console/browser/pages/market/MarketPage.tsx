import { RefreshCw } from "lucide-react"
import { useFormats } from "../../i18n/formats.ts"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { usePrices } from "../../requests/catalogue.ts"
import { useToolQuery } from "../../requests/useToolQuery.ts"
import { Button } from "../../widgets/Button.tsx"
import { PageHeader, Panel } from "../../widgets/layout.tsx"
import { RequestView } from "../../widgets/RequestView.tsx"
import { EmptyState, Skeleton } from "../../widgets/states.tsx"
import { CoinList } from "./CoinList.tsx"
import styles from "./Market.module.css"
import { type Overview, overviewQuery } from "./queries.ts"
import { SimulatedLabel } from "./SimulatedLabel.tsx"
import { marketTexts } from "./texts.ts"

const MarketBreadth = ({ breadth, as_of, source }: Overview) => {
  const texts = useTexts(marketTexts)
  const { time } = useNumbers()
  const { signedPercent } = useFormats()
  const total = breadth.advancing + breadth.declining + breadth.unchanged
  const share = (count: number) => ({ width: `${total === 0 ? 0 : count / total * 100}%` })
  return (
    <div className="column gap-2">
      <div className={styles["breadthBar"]} aria-hidden>
        <span className={styles["breadthUp"]} style={share(breadth.advancing)} />
        <span className={styles["breadthFlat"]} style={share(breadth.unchanged)} />
        <span className={styles["breadthDown"]} style={share(breadth.declining)} />
      </div>
      <p className="row baseline wrap gap-x-4">
        <span className="up">▲ {texts.advancing(breadth.advancing)}</span>
        <span className="down">▼ {texts.declining(breadth.declining)}</span>
        {breadth.mean_score !== null && (
          <span>{texts.meanScore} {signedPercent(breadth.mean_score, 1).replace("%", "")}</span>
        )}
        <span className="soft small">{texts.asOf(time(as_of))}</span>
        <SimulatedLabel source={source} />
      </p>
    </div>
  )
}

export const MarketPage = () => {
  const texts = useTexts(marketTexts)
  const overview = useToolQuery(overviewQuery)
  const prices = usePrices()
  const cost = prices.get(overviewQuery.tool)
  if (prices.size > 0 && cost === undefined) {
    return (
      <>
        <PageHeader title={texts.title} />
        <EmptyState title={texts.closed}>{texts.closedDetail}</EmptyState>
      </>
    )
  }
  return (
    <>
      <PageHeader
        title={texts.title}
        aside={cost !== undefined && overview.state === "loaded" && (
          <Button onPress={overview.refresh} isBusy={overview.isFetching}>
            <RefreshCw aria-hidden />
            {texts.refresh(cost)}
          </Button>
        )}
      >
        {texts.lead}
      </PageHeader>
      <RequestView request={overview} placeholder={<Skeleton lines={12} />}>
        {(marketOverview) => (
          <>
            <MarketBreadth {...marketOverview} />
            <Panel isFlush>
              <CoinList isNarrow={false} />
            </Panel>
          </>
        )}
      </RequestView>
    </>
  )
}
