package io.couchjobs.cluster;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.ContainerNetwork;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.PortBinding;
import com.github.dockerjava.api.model.Ports;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.Wait;

/**
 * Three nodes of CouchDB in containers, joined to a cluster; they live until this process ends. Each publishes a fixed port on
 * the default network, and talks to the others on one of their own: who is cut off from that can still be asked. Only where
 * the environment says {@code COUCHJOBS_CLUSTER=containers}: it takes minutes.
 */
final class ContainerCluster {
    private static final int PORT = 5984;
    private static final boolean IS_WANTED = "containers".equals(System.getenv("COUCHJOBS_CLUSTER"));
    private static final Optional<ContainerCluster> ONLY =
            IS_WANTED && DockerClientFactory.instance().isDockerAvailable()
                    ? Optional.of(new ContainerCluster())
                    : Optional.empty();

    /** Without a gateway, so that the published ports stay those of the default network. */
    private final Network nodes = Network.builder()
            .createNetworkCmdModifier(network -> network.withInternal(true))
            .build();

    private final DockerClient docker = DockerClientFactory.instance().client();
    private final List<GenericContainer<?>> containers = new ArrayList<>();
    private final List<URI> urls = new ArrayList<>();

    private ContainerCluster() {
        try {
            for (int node = 1; node <= 3; node++) {
                start(node);
            }
            ClusterSetup setup = new ClusterSetup(urls);
            setup.join(IntStream.rangeClosed(1, 3)
                    .mapToObj(node -> "couchdb@" + name(node))
                    .toList());
        } catch (IOException e) {
            throw new IllegalStateException("the containers did not become a cluster", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while containers became a cluster", e);
        }
    }

    /** {@return the cluster, started when it is asked for first; empty where there is no Docker} */
    static Optional<ContainerCluster> get() {
        return ONLY;
    }

    List<String> urls() {
        return urls.stream().map(URI::toString).toList();
    }

    /** Erlang wants names with a dot. */
    private static String name(int node) {
        return "node" + node + ".couchjobs";
    }

    @SuppressWarnings("resource") // Testcontainers stops it when this process ends.
    private void start(int node) throws IOException {
        int port = freePort();
        GenericContainer<?> container = new GenericContainer<>("couchdb:3.5")
                .withEnv("COUCHDB_USER", "admin")
                .withEnv("COUCHDB_PASSWORD", "secret")
                .withEnv("COUCHDB_SECRET", "the-same-at-all-nodes")
                .withEnv("COUCHDB_ERLANG_COOKIE", "the-same-at-all-nodes")
                .withEnv("NODENAME", name(node))
                .withExposedPorts(PORT)
                .withCreateContainerCmdModifier(create -> {
                    HostConfig host =
                            Optional.ofNullable(create.getHostConfig()).orElseGet(HostConfig::new);
                    create.withHostConfig(host.withPortBindings(
                            new PortBinding(Ports.Binding.bindPort(port), ExposedPort.tcp(PORT))));
                })
                .waitingFor(Wait.forHttp("/_up"));
        container.start();
        containers.add(container);
        urls.add(URI.create("http://admin:secret@" + container.getHost() + ":" + port));
        connect(node);
    }

    /** A port that Docker chooses would be another one when the container is started again. */
    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private String id(int node) {
        return containers.get(node - 1).getContainerId();
    }

    private void connect(int node) {
        docker.connectToNetworkCmd()
                .withNetworkId(nodes.getId())
                .withContainerId(id(node))
                .withContainerNetwork(new ContainerNetwork().withAliases(name(node)))
                .exec();
    }

    /** Does something to a node, from 1 on, and returns when that is done. */
    void to(RealCluster.Deed deed, int node) throws IOException, InterruptedException {
        switch (deed) {
            case STOP -> docker.killContainerCmd(id(node)).exec();
            case START -> {
                docker.startContainerCmd(id(node)).exec();
                new ClusterSetup(urls).awaitUp(node);
            }
            case FREEZE -> docker.pauseContainerCmd(id(node)).exec();
            case THAW -> docker.unpauseContainerCmd(id(node)).exec();
            case CUT ->
                docker.disconnectFromNetworkCmd()
                        .withNetworkId(nodes.getId())
                        .withContainerId(id(node))
                        .exec();
            case HEAL -> {
                connect(node);
                new ClusterSetup(urls).awaitMembers();
            }
        }
    }
}
