package dev.runnel.app.settings;

import static dev.runnel.surface.Setting.address;
import static dev.runnel.surface.Setting.chosenSecret;
import static dev.runnel.surface.Setting.issuedSecret;
import static dev.runnel.surface.Setting.plain;

import dev.runnel.service.egress.EgressSetting;
import dev.runnel.surface.Setting;
import dev.runnel.surface.tracker.TrackerSettings;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/// The settings that belong to no platform.
public final class RunnelSettings {
  public static final Setting PORT =
      plain("PORT", "8080", "The HTTP port. `0` picks a free one. `RUNNEL_PORT` is an alias.")
          .at("port");

  static final Setting ADMIN_PORT =
      plain(
          "RUNNEL_ADMIN_PORT",
          "the same port",
          "Serves the console, `/api/v1`, `/mcp` and `/metrics` on a port of their own, which must"
              + " not be that of everything else.");

  static final Setting ADMIN_HOST =
      plain(
          "RUNNEL_ADMIN_HOST",
          "127.0.0.1",
          "The address that the admin port listens on. Behind `0.0.0.0`, everybody who reaches the"
              + " machine reaches the sign-in page and the API.");

  static final Setting ADMIN_URL =
      plain(
          "RUNNEL_ADMIN_URL",
          "http://localhost:ADMIN_PORT",
          "The address at which people reach the console on the admin port, for example that of a"
              + " proxy with HTTPS; used in links.");

  static final Setting HOST = plain("RUNNEL_HOST", "127.0.0.1", "The address to listen on.");

  public static final Setting DATA =
      plain("RUNNEL_DATA", "./data", "The folder of the database, workspaces and generated keys.");

  static final Setting DATABASE_URL =
      issuedSecret(
              "RUNNEL_DATABASE_URL",
              "`jdbc:postgresql://…`, for several nodes; by default files in the data folder.")
          .at("database.url");

  public static final Setting PUBLIC_URL =
      plain(
          "RUNNEL_PUBLIC_URL",
          "http://localhost:PORT",
          "The address at which others reach Runnel; used in links and the manifest.");

  static final Setting TRUSTED_PROXIES =
      plain(
              "RUNNEL_WEB_TRUSTED_PROXIES",
              "",
              "The addresses or networks, separated by commas, of the proxies in front of Runnel,"
                  + " such as `10.0.0.7, 10.1.0.0/16`. Limits on senders then count for the last"
                  + " address in `X-Forwarded-For` that is none of these. Without it the header is"
                  + " ignored, and all senders behind a proxy share the limits of its address.")
          .at("web.trusted_proxies");

  static final Setting HTTPS_PROXY =
      issuedSecret(
              "HTTPS_PROXY",
              "The proxy between Runnel and the internet, with its login if it requires one:"
                  + " `http://USER:PASSWORD@proxy.corp:3128`. Runnel and its git use it for `https`"
                  + " addresses.")
          .at("https_proxy");

  static final Setting NO_PROXY =
      plain(
              "NO_PROXY",
              "",
              "Hosts that Runnel and its git reach without that proxy, with the hosts below them,"
                  + " separated by commas: `gitlab.corp, jira.corp`. This machine is one of them in"
                  + " any case.")
          .at("no_proxy");

  public static final Setting AGENT_API_URL =
      address(
              "RUNNEL_AGENT_API_URL",
              "the embedded service",
              "An external Agent Run API, including `/api/v1`.")
          .at("agents.api_url")
          .formerlyAt("agent.api_url");

  static final Setting AGENT_API_KEY =
      chosenSecret(
              "RUNNEL_AGENT_API_KEY",
              "The bearer key of the Agent Run API; by default generated and kept in the data"
                  + " folder.")
          .at("agents.api_key")
          .formerlyAt("agent.api_key");

  static final Setting AGENT_COMMAND =
      plain(
              "RUNNEL_AGENT_COMMAND",
              "the first agent found",
              "Any command as the agent: it gets the prompt on standard input and answers on"
                  + " standard output. Files that it names by their whole path become readable for"
                  + " isolated agents.")
          .at("agents.command")
          .formerlyAt("agent.command");

  static final Setting AGENT_SLOTS =
      plain(
              "RUNNEL_AGENT_SLOTS",
              "4",
              "How many agents run at once, on each node. Runs that agents start have as many slots"
                  + " of their own, on each of three levels.")
          .at("agents.slots")
          .formerlyAt("agent.slots");

  static final Setting AGENT_SLOTS_OF_ALL =
      plain(
              "RUNNEL_AGENT_SLOTS_OF_ALL",
              "no limit",
              "How many agents run at once on all nodes of one database together, on each level.")
          .at("agents.slots_of_all");

  static final Setting AGENT_SLOTS_PER_PERSON =
      plain(
              "RUNNEL_AGENT_SLOTS_PER_PERSON",
              "all but one, where there are three or more",
              "How many agents run at once for one person, on all nodes together; `off` for no"
                  + " limit. Schedules and programs with a key are no person.")
          .at("agents.slots_per_person");

  static final Setting AGENT_LEASE =
      plain(
              "RUNNEL_AGENT_LEASE",
              "1m",
              "With several nodes: how long the others wait for a node that says nothing before"
                  + " they take it for lost. A node that cannot reach the database ends its agents"
                  + " after three quarters of it. The same on all nodes.")
          .at("agents.lease");

  static final Setting AGENT_SNAPSHOTS =
      plain(
              "RUNNEL_AGENT_SNAPSHOTS",
              "off",
              "With several nodes: a folder on a volume that all of them have. Workspaces are kept"
                  + " there after each execution, with the agent's session, for the node on which a"
                  + " run continues when its own is gone.")
          .at("agents.snapshots");

  static final Setting AGENT_SNAPSHOTS_LIMIT =
      plain(
              "RUNNEL_AGENT_SNAPSHOTS_LIMIT",
              "256MB",
              "The maximum size of a kept workspace, compressed and without folders that tools fill"
                  + " again.")
          .at("agents.snapshots_limit");

  static final Setting AGENT_ACCESS =
      plain(
              "RUNNEL_AGENT_ACCESS",
              "workspace",
              "`full` switches off the agents' own sandbox, for machines that are a sandbox"
                  + " themselves.")
          .at("agents.access")
          .formerlyAt("agent.access");

  public static final Setting AGENTS_ISOLATION =
      plain(
              "RUNNEL_AGENTS_ISOLATION",
              "auto",
              "How agents are isolated from the machine: `bubblewrap`, `container`, `none`,"
                  + " `kubernetes`, where they work in pods, or `auto`, which is bubblewrap. Where"
                  + " bubblewrap does not work, `auto` is none while no platform and no hook is"
                  + " configured, and otherwise stops the start.")
          .at("agents.isolation");

  public static final Setting AGENTS_USER =
      plain(
              "RUNNEL_AGENTS_USER",
              "",
              "The account that agents and setup commands work as if Runnel runs as root: a name, a"
                  + " number, or `root`, which opens the machine to them in `none` and parts of it"
                  + " in bubblewrap. Default: the account `runnel-agents` if it exists, else a"
                  + " number between 61184 and 65519 that no account has, kept in the data folder."
                  + " If Runnel does not run as root, agents have its account.")
          .at("agents.user");

  public static final Setting AGENTS_EGRESS =
      plain(
              "RUNNEL_AGENTS_EGRESS",
              "public",
              "The hosts that isolated agents reach: `public` (all public hosts on ports 443 and"
                  + " 80), `none`, `machine` (no boundary), or a list of hosts such as"
                  + " `api.example.com`, `*.example.com:8443` and `internal:registry.corp:5000`,"
                  + " and of the sets `"
                  + String.join("`, `", EgressSetting.sets())
                  + "`. Environments may have a list of their own, in which `inherit` stands for"
                  + " this one. The repositories of the environment and the addresses of models in"
                  + " `…_BASE_URL` variables of the agent are always permitted, unless it is"
                  + " `none`. Addresses of this machine and of internal networks only with"
                  + " `internal:`.")
          .at("agents.egress");

  static final Setting AGENTS_ASK =
      plain(
              "RUNNEL_AGENTS_ASK",
              "",
              "The tools for which a person is asked first, as permission rules of Claude Code:"
                  + " `Bash(npm publish:*)`, `Edit(/db/**)`, `mcp__jira__delete_issue`. The run"
                  + " waits, and asks like any other question. Environments may have rules of"
                  + " their own, instead of these. Only Claude Code can ask: with rules, runs of"
                  + " other agents do not start.")
          .at("agents.ask");

  static final Setting AGENTS_READABLE =
      plain(
              "RUNNEL_AGENTS_READABLE",
              "",
              "Folders and files, separated by commas, that isolated agents may read besides those"
                  + " of the system, of the `PATH`, and those that the agent command names.")
          .at("agents.readable");

  static final Setting AGENTS_HOME_FILES =
      plain(
              "RUNNEL_AGENTS_HOME_FILES",
              "",
              "Files of the home folder, such as `.npmrc`, of which each isolated run gets a copy,"
                  + " besides the login of its agent.")
          .at("agents.home_files");

  static final Setting AGENTS_ENVIRONMENT =
      plain("RUNNEL_AGENTS_ENVIRONMENT", "", "The environment of runs that select none.")
          .at("agents.default_environment");

  static final Setting PUBLIC_ENVIRONMENTS =
      plain(
              "RUNNEL_PUBLIC_ENVIRONMENTS",
              "",
              "Environments whose work everybody can read, such as those with public repositories,"
                  + " separated by commas. A run that works there, or may work there, gets nothing"
                  + " of a private Slack channel or of direct messages but the request itself. Its"
                  + " agent is told not to quote it, and pull requests do not link back.")
          .at("agents.public_environments");

  static final Setting LIMIT_START = limit("START", "start", "15m", "Clones and setup commands.");

  static final Setting LIMIT_IDLE =
      limit("IDLE", "idle", "1h", "The time of an agent without output.");

  static final Setting LIMIT_TOTAL =
      limit("TOTAL", "total", "6h", "The time of one execution of an agent.");

  static final Setting LIMIT_OUTPUT =
      limit("OUTPUT", "output", "256MB", "The output of one execution.");

  static final Setting LIMIT_DISK = limit("DISK", "disk", "10GB", "The size of one workspace.");

  static final Setting LIMIT_MEMORY =
      limit(
          "MEMORY",
          "memory",
          "8GB",
          "The memory of one agent in a container or pod; with bubblewrap, of each of its"
              + " processes.");

  static final Setting LIMIT_PROCESSES =
      limit(
          "PROCESSES",
          "processes",
          "4096",
          "The processes and threads of one agent. With bubblewrap this has no effect on agents"
              + " that work as root (`agents.user`).");

  static final Setting LIMIT_CPUS =
      limit(
          "CPUS",
          "cpus",
          "off",
          "The processors that one agent may use, such as `1.5`. Only in containers and pods.");

  static final Setting LIMIT_MONEY =
      limit(
          "MONEY",
          "money",
          "off",
          "The cost of one run in US dollars, such as `5`. It counts what its agents report, and as"
              + " long as they report none, their minutes by `policy.price_per_minute`. Claude Code"
              + " reports its cost at the end of each answer.");

  static final Setting KEEP_WORKSPACES =
      plain(
              "RUNNEL_AGENTS_KEEP_WORKSPACES",
              "7d",
              "How long a workspace is kept after its last execution, for follow-ups.")
          .at("agents.limits.keep_workspaces")
          .formerlyOffAs("none");

  static final Setting ALL_WORKSPACES =
      plain(
              "RUNNEL_AGENTS_ALL_WORKSPACES",
              "50GB",
              "The size of all workspaces; above it, those unused the longest are deleted.")
          .at("agents.limits.all_workspaces")
          .formerlyOffAs("none");

  static final Setting DRAIN =
      plain("RUNNEL_AGENTS_DRAIN", "0s", "How long agents may take to finish when Runnel stops.")
          .at("agents.limits.drain")
          .formerlyOffAs("none");

  static final Setting ADMINS =
      plain(
          "RUNNEL_ADMINS",
          "nobody",
          "Who may set defaults for channels and workspaces, freeze all starts, and stop and steer"
              + " runs of other channels and repositories: `slack:U012345,github:octocat`.");

  static final Setting CONSOLE_TOKEN =
      chosenSecret(
              "RUNNEL_CONSOLE_TOKEN",
              "Signs in at the console, in addition to the links: in the form, or as"
                  + " `Authorization: Bearer TOKEN` for programs.")
          .at("console.token");

  static final Setting SIGN_IN_SLACK_ID =
      plain(
              "RUNNEL_SIGN_IN_SLACK_CLIENT_ID",
              "off",
              "The client id of a Slack app, with which people sign in at the console. Its redirect"
                  + " URL is `/enter/slack/callback`. Rules decide who may: see docs/policy.md.")
          .at("console.sign_in.slack.client_id");

  static final Setting SIGN_IN_SLACK_SECRET =
      issuedSecret("RUNNEL_SIGN_IN_SLACK_CLIENT_SECRET", "The secret of that Slack app.")
          .at("console.sign_in.slack.client_secret");

  static final Setting SIGN_IN_GITHUB_ID =
      plain(
              "RUNNEL_SIGN_IN_GITHUB_CLIENT_ID",
              "off",
              "The client id of a GitHub OAuth app or GitHub App, with which people sign in at the"
                  + " console. Its callback URL is `/enter/github/callback`.")
          .at("console.sign_in.github.client_id");

  static final Setting SIGN_IN_GITHUB_SECRET =
      issuedSecret("RUNNEL_SIGN_IN_GITHUB_CLIENT_SECRET", "The secret of that GitHub app.")
          .at("console.sign_in.github.client_secret");

  static final Setting SIGN_IN_GITHUB_URL =
      plain(
              "RUNNEL_SIGN_IN_GITHUB_URL",
              "https://github.com",
              "The address of GitHub, or of GitHub Enterprise Server.")
          .at("console.sign_in.github.url");

  static final Setting SIGN_IN_OIDC_ISSUER =
      plain(
              "RUNNEL_SIGN_IN_OIDC_ISSUER",
              "off",
              "The issuer of an OpenID Connect provider, with which people sign in at the console:"
                  + " `https://login.example.com`. The redirect URL is `/enter/oidc/callback`.")
          .at("console.sign_in.oidc.issuer");

  static final Setting SIGN_IN_OIDC_ID =
      plain("RUNNEL_SIGN_IN_OIDC_CLIENT_ID", "off", "The client id at that provider.")
          .at("console.sign_in.oidc.client_id");

  static final Setting SIGN_IN_OIDC_SECRET =
      issuedSecret("RUNNEL_SIGN_IN_OIDC_CLIENT_SECRET", "The client secret at that provider.")
          .at("console.sign_in.oidc.client_secret");

  static final Setting REMINDERS =
      plain(
          "RUNNEL_REMINDERS", "30m,4h,24h", "When to remind people of an open question; or `off`.");

  static final Setting SAME_ISSUE =
      plain(
          "RUNNEL_SAME_ISSUE",
          "ask",
          "What becomes of a request about an issue, by its link or on it, while a run of another"
              + " conversation works on it: `ask` people, `join` that run, or `start` another"
              + " run.");

  static final Setting PULL_REQUEST_FOLLOW_UPS =
      plain(
              "RUNNEL_PULL_REQUEST_FOLLOW_UPS",
              "3",
              "How many messages Runnel itself sends to a run about one pull request, when its"
                  + " checks fail, it has a conflict, or a reviewer requests changes. `0` for"
                  + " none.")
          .at("pull_requests.follow_ups");

  static final Setting NAME_REQUESTER =
      plain(
              "RUNNEL_NAME_REQUESTER",
              "on",
              "Whether agents are asked to name who asked for their work: as co-author of commits,"
                  + " where the address is known, and in the description of pull requests with a"
                  + " link to the request; or `off`.")
          .at("pull_requests.name_requester");

  static final Setting FILES_TYPES =
      plain(
              "RUNNEL_FILES_TYPES",
              "png,jpg,jpeg,gif,webp,pdf,txt,md,log,csv,tsv,json,yaml,yml,xml,html,diff,patch,mp4,webm",
              "The endings of the files of agents that are uploaded to the thread, where the"
                  + " platform takes files; `off` for none.")
          .at("files.types");

  static final Setting FILES_SIZE =
      plain("RUNNEL_FILES_SIZE", "10MB", "The size of a file that is uploaded; at most `20MB`.")
          .at("files.size");

  static final Setting FILES_COUNT =
      plain("RUNNEL_FILES_COUNT", "10", "How many files of one run are uploaded.")
          .at("files.count");

  static final Setting RETENTION_RUNS =
      retention(
          "RUNS",
          "off",
          "How long runs are kept after their end, here and in the embedded service.");

  static final Setting RETENTION_TRANSCRIPTS =
      retention(
          "TRANSCRIPTS", "off", "How long the embedded service keeps transcripts of ended runs.");

  static final Setting RETENTION_DELIVERIES =
      retention(
          "DELIVERIES",
          "7d",
          "How long handled messages and posts are kept, to detect repetitions and for `why`.");

  static final Setting RETENTION_PARKED =
      retention(
          "PARKED",
          "30d",
          "How long messages and posts that Runnel gave up on are listed for somebody's"
              + " attention.");

  static final Setting RETENTION_AUDIT =
      retention("AUDIT", "400d", "How long entries of the audit log are kept.");

  static final Setting LOG_FORMAT =
      plain("RUNNEL_LOG_FORMAT", "text", "`text`, or `json` for one JSON object a line.")
          .at("log.format");

  static final Setting LOG_LEVEL =
      plain(
              "RUNNEL_LOG_LEVEL",
              "info",
              "What is logged: `error`, `warn`, `info`, `debug` or `trace`; single loggers as in"
                  + " `info,dev.runnel.surface.slack=debug`. A reload applies it.")
          .at("log.level");

  static final Setting TRACES_ENDPOINT =
      plain(
              "RUNNEL_TRACES_ENDPOINT",
              "off",
              "Where traces of messages go: the address of an OTLP receiver over HTTP, such as"
                  + " `http://localhost:4318/v1/traces`.")
          .at("traces.endpoint");

  static final Setting TRACES_HEADERS =
      issuedSecret(
              "RUNNEL_TRACES_HEADERS",
              "Headers for that receiver, such as `Authorization=Bearer …`, separated by commas.")
          .at("traces.headers");

  /// In the order of the documentation.
  static final List<Setting> ALL =
      Stream.of(
              Stream.of(
                  PORT,
                  ADMIN_PORT,
                  ADMIN_HOST,
                  ADMIN_URL,
                  HOST,
                  DATA,
                  DATABASE_URL,
                  PUBLIC_URL,
                  TRUSTED_PROXIES,
                  HTTPS_PROXY,
                  NO_PROXY,
                  AGENT_API_URL,
                  AGENT_API_KEY,
                  AGENT_COMMAND,
                  AGENT_SLOTS,
                  AGENT_SLOTS_OF_ALL,
                  AGENT_SLOTS_PER_PERSON,
                  AGENT_LEASE,
                  AGENT_SNAPSHOTS,
                  AGENT_SNAPSHOTS_LIMIT,
                  AGENT_ACCESS,
                  AGENTS_ISOLATION,
                  AGENTS_USER,
                  AGENTS_EGRESS,
                  AGENTS_ASK,
                  AGENTS_READABLE,
                  AGENTS_HOME_FILES,
                  AGENTS_ENVIRONMENT,
                  PUBLIC_ENVIRONMENTS),
              KubernetesOptions.ALL.stream(),
              Stream.of(
                  LIMIT_START,
                  LIMIT_IDLE,
                  LIMIT_TOTAL,
                  LIMIT_OUTPUT,
                  LIMIT_DISK,
                  LIMIT_MEMORY,
                  LIMIT_PROCESSES,
                  LIMIT_CPUS,
                  LIMIT_MONEY,
                  KEEP_WORKSPACES,
                  ALL_WORKSPACES,
                  DRAIN,
                  ADMINS,
                  CONSOLE_TOKEN,
                  SIGN_IN_SLACK_ID,
                  SIGN_IN_SLACK_SECRET,
                  SIGN_IN_GITHUB_ID,
                  SIGN_IN_GITHUB_SECRET,
                  SIGN_IN_GITHUB_URL,
                  SIGN_IN_OIDC_ISSUER,
                  SIGN_IN_OIDC_ID,
                  SIGN_IN_OIDC_SECRET,
                  REMINDERS,
                  SAME_ISSUE,
                  PULL_REQUEST_FOLLOW_UPS,
                  NAME_REQUESTER,
                  FILES_TYPES,
                  FILES_SIZE,
                  FILES_COUNT,
                  RETENTION_RUNS,
                  RETENTION_TRANSCRIPTS,
                  RETENTION_DELIVERIES,
                  RETENTION_PARKED,
                  RETENTION_AUDIT,
                  LOG_FORMAT,
                  LOG_LEVEL,
                  TRACES_ENDPOINT,
                  TRACES_HEADERS),
              TrackerSettings.ALL.stream())
          .flatMap(each -> each)
          .toList();

  private RunnelSettings() {}

  private static Setting retention(String name, String defaultValue, String description) {
    return plain("RUNNEL_RETENTION_" + name, defaultValue, description + " `off` means forever.")
        .at("retention." + name.toLowerCase(Locale.ROOT));
  }

  private static Setting limit(String name, String key, String defaultValue, String description) {
    return plain("RUNNEL_AGENTS_LIMIT_" + name, defaultValue, description + " `off` for no limit.")
        .at("agents.limits." + key)
        .formerlyOffAs("none");
  }
}
