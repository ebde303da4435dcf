package io.couchjobs.peers;

import static org.jobrunr.server.BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration;

import java.sql.SQLException;
import java.time.Duration;
import java.util.stream.Stream;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.scheduling.BackgroundJob;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.storage.StorageProvider;
import org.jobrunr.storage.sql.common.SqlStorageProviderFactory;

/** JobRunr. It keeps its configuration in static fields, so a process has only one instance at a time. */
final class JobRunrPeer implements Peer {
    private static final Duration SHORTEST_POLL = Duration.ofSeconds(5);

    private static volatile Runnable told = () -> {};

    private final Postgres postgres;
    private final StorageProvider storage;

    JobRunrPeer(String jdbcUrl) throws SQLException {
        this.postgres = new Postgres(jdbcUrl);
        this.storage = SqlStorageProviderFactory.using(postgres.source());
        JobRunr.configure().useStorageProvider(storage).initialize();
    }

    @Override
    public void addAll(int jobs) {
        BackgroundJob.enqueue(Stream.generate(() -> Payload.TEXT).limit(jobs), text -> Work.run(text));
    }

    @Override
    public void add() {
        BackgroundJob.enqueue(() -> Work.run(Payload.TEXT));
    }

    @Override
    public void start(int places, Runnable onRun) {
        told = onRun;
        BackgroundJobServerConfiguration server = usingStandardBackgroundJobServerConfiguration()
                .andWorkerCount(places)
                .andPollInterval(SHORTEST_POLL);
        JobRunr.configure()
                .useStorageProvider(storage)
                .useBackgroundJobServer(server)
                .initialize();
    }

    @Override
    public boolean haveEnded(int runs) throws SQLException {
        return postgres.isEmpty("select 1 from jobrunr_jobs where state <> 'SUCCEEDED' limit 1");
    }

    @Override
    public void close() throws SQLException {
        JobRunr.destroy();
        postgres.close();
    }

    /** The job: JobRunr calls public methods only. */
    public static final class Work {
        private Work() {}

        /** Reports the run; does not use the text. */
        public static void run(String text) {
            told.run();
        }
    }
}
