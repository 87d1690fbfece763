import { RefreshCw } from "lucide-react"
import { usePaid } from "../../asking/usePaid.ts"
import { usePrices } from "../../asking/usePrices.ts"
import { Button } from "../../widgets/Button.tsx"
import { PageHead, Panel } from "../../widgets/parts.tsx"
import { Empty, Skeleton } from "../../widgets/states.tsx"
import { Told } from "../../widgets/Told.tsx"
import { useFormats } from "../../words/formats.ts"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import { type Overview, overviewAsk } from "./asks.ts"
import { CoinList } from "./CoinList.tsx"
import styles from "./Market.module.css"
import { marketWords } from "./words.ts"

/** The numbers of rising and falling coins, as one bar with labelled sections. */
const Breadth = ({ breadth, as_of }: Overview) => {
  const says = useWords(marketWords)
  const { time } = useNumbers()
  const { signed } = useFormats()
  const all = breadth.advancing + breadth.declining + breadth.unchanged
  const share = (count: number) => ({ width: `${all === 0 ? 0 : count / all * 100}%` })
  return (
    <div className={styles["breadth"]}>
      <div className={styles["breadthBar"]} aria-hidden>
        <span className={styles["breadthUp"]} style={share(breadth.advancing)} />
        <span className={styles["breadthFlat"]} style={share(breadth.unchanged)} />
        <span className={styles["breadthDown"]} style={share(breadth.declining)} />
      </div>
      <p className={styles["breadthText"]}>
        <span className={styles["up"]}>▲ {says.advancing(breadth.advancing)}</span>
        <span className={styles["down"]}>▼ {says.declining(breadth.declining)}</span>
        {breadth.mean_score !== null && <span>{says.meanScore} {signed(breadth.mean_score, 1).replace("%", "")}</span>}
        <span className={styles["soft"]}>{says.asOf(time(as_of))}</span>
      </p>
    </div>
  )
}

/** The overview of all coins, with links to their pages. */
export const MarketPage = () => {
  const says = useWords(marketWords)
  const overview = usePaid(overviewAsk)
  const prices = usePrices()
  const cost = prices.get(overviewAsk.tool)
  if (prices.size > 0 && cost === undefined) {
    return (
      <>
        <PageHead title={says.title} />
        <Empty title={says.closed}>{says.closedMore}</Empty>
      </>
    )
  }
  return (
    <>
      <PageHead
        title={says.title}
        aside={cost !== undefined && overview.state === "told" && (
          <Button onPress={overview.again} isBusy={overview.isAsking}>
            <RefreshCw aria-hidden />
            {says.refresh(cost)}
          </Button>
        )}
      >
        {says.lead}
      </PageHead>
      <Told of={overview} waiting={<Skeleton lines={12} />}>
        {(told) => (
          <>
            <Breadth {...told} />
            <Panel isFlush>
              <CoinList isNarrow={false} />
            </Panel>
          </>
        )}
      </Told>
    </>
  )
}
