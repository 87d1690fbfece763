/** The minimum number of posts that are needed to estimate whether posts are organic. */
export const minPosts = 50

/** The possible trajectories of the discussion of a coin. */
export const trajectories = ["surging", "rising", "steady", "fading", "collapsing"] as const
export type Trajectory = (typeof trajectories)[number]
