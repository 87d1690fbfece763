/** The trajectories of talk about a coin. */
export const trajectories = ["surging", "rising", "steady", "fading", "collapsing"] as const
export type Trajectory = (typeof trajectories)[number]
