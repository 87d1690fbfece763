import { usePrices } from "../../requests/catalogue.ts"
import { useToolQuery } from "../../requests/useToolQuery.ts"
import { RequestView } from "../../widgets/RequestView.tsx"
import { Skeleton } from "../../widgets/states.tsx"
import styles from "./Journal.module.css"
import { PortfolioPanel } from "./PortfolioPanel.tsx"
import type { PositionDraft } from "./positionDraft.ts"
import { ProfilePanel } from "./ProfilePanel.tsx"
import { positionsQuery } from "./queries.ts"
import { SizingPanel } from "./SizingPanel.tsx"

export const RiskView = ({ onRecord }: {
  readonly onRecord: ((initial: Partial<PositionDraft>) => void) | undefined
}) => {
  const canWrite = usePrices().has("set_risk_profile")
  // The risk profile is read from the result of `get_positions`, because the result is usually cached.
  const request = useToolQuery(positionsQuery)
  return (
    <div className={styles["halves"]}>
      <div className="column gap-4">
        <SizingPanel onRecord={onRecord} />
        <RequestView request={request} placeholder={<Skeleton lines={5} />}>
          {({ risk_profile }) => (
            <ProfilePanel key={JSON.stringify(risk_profile)} profile={risk_profile} canWrite={canWrite} />
          )}
        </RequestView>
      </div>
      <PortfolioPanel />
    </div>
  )
}
