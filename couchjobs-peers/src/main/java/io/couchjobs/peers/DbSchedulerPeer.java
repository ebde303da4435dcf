package io.couchjobs.peers;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** db-scheduler, with the polling strategy that its documentation advises for high throughput. */
final class DbSchedulerPeer implements Peer {
    private static final double LOWER_LIMIT = 0.5;
    private static final double UPPER_LIMIT = 4.0;

    private final Postgres postgres;
    private final OneTimeTask<String> task;
    private final SchedulerClient client;
    private volatile Runnable told = () -> {};
    private @Nullable Scheduler scheduler;

    DbSchedulerPeer(String jdbcUrl) throws SQLException {
        this.postgres = new Postgres(jdbcUrl);
        postgres.execute(
                "create table scheduled_tasks (task_name text not null, task_instance text not null, task_data bytea,"
                        + " execution_time timestamp with time zone not null, picked boolean not null, picked_by text,"
                        + " last_success timestamp with time zone, last_failure timestamp with time zone,"
                        + " consecutive_failures int, last_heartbeat timestamp with time zone, version bigint not null,"
                        + " priority smallint, primary key (task_name, task_instance))",
                "create index execution_time_idx on scheduled_tasks (execution_time)",
                "create index last_heartbeat_idx on scheduled_tasks (last_heartbeat)");
        this.task = Tasks.oneTime("bench", String.class).execute((instance, context) -> told.run());
        this.client = SchedulerClient.Builder.create(postgres.source(), task).build();
    }

    @Override
    public void addAll(int jobs) {
        Stream<TaskInstance<?>> instances =
                Stream.generate(this::instance).limit(jobs).map(each -> each);
        client.scheduleBatch(instances, Instant.now());
    }

    @Override
    public void add() {
        client.scheduleIfNotExists(instance(), Instant.now());
    }

    private TaskInstance<String> instance() {
        return task.instance(UUID.randomUUID().toString(), Payload.TEXT);
    }

    @Override
    public void start(int places, Runnable onRun) {
        told = onRun;
        scheduler = Scheduler.create(postgres.source(), task)
                .threads(places)
                .pollUsingLockAndFetch(LOWER_LIMIT, UPPER_LIMIT)
                .build();
        scheduler.start();
    }

    /** Returns whether no row is left: db-scheduler deletes jobs that have ended. */
    @Override
    public boolean haveEnded(int runs) throws SQLException {
        return postgres.isEmpty("select 1 from scheduled_tasks limit 1");
    }

    @Override
    public void close() throws SQLException {
        if (scheduler != null) {
            scheduler.stop();
        }
        postgres.close();
    }
}
