import type { ReactNode } from "react"
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components"
import styles from "./TabPanels.module.css"

export const TabPanels = <Name extends string>({ label, onChange, panels, selected }: {
  readonly label: string
  readonly panels: ReadonlyArray<{ readonly name: Name; readonly title: string; readonly content: ReactNode }>
  /** The name of the visible panel. If undefined, the component stores the selection itself. */
  readonly selected?: Name
  readonly onChange?: (name: Name) => void
}) => (
  <Tabs
    className="column"
    {...(selected === undefined ? {} : { selectedKey: selected })}
    {...(onChange === undefined ? {} : {
      onSelectionChange: (key) => {
        const found = panels.find(({ name }) => name === key)
        if (found !== undefined) onChange(found.name)
      }
    })}
  >
    <TabList className={styles["list"]!} aria-label={label}>
      {panels.map(({ name, title }) => <Tab key={name} id={name} className={styles["tab"]!}>{title}</Tab>)}
    </TabList>
    {panels.map(({ content, name }) => <TabPanel key={name} id={name} className={styles["panel"]!}>{content}
    </TabPanel>)}
  </Tabs>
)
